/** How long a process takes to load a package: every command of ours pays it before its first line. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { BenchOptions } from "../bench.ts";
import { compare, type Figure } from "../figure.ts";
import { rounds } from "./rounds.ts";

export async function importFigures({ quick, say }: BenchOptions): Promise<Figure[]> {
  const count = quick ? 3 : 11;
  say(`import of @berg/kube and of @kubernetes/client-node, the start of node itself taken off, ${count} rounds`);
  const { nothing, kube, clientNode } = await rounds(count, {
    nothing: () => timeOf(""),
    kube: () => timeOf('import "@berg/kube"'),
    clientNode: () => timeOf('import "@kubernetes/client-node"'),
  });
  return [
    compare({
      name: "import of @berg/kube, beside @kubernetes/client-node",
      unit: "ms",
      value: kube.ms - nothing.ms,
      beside: clientNode.ms - nothing.ms,
      goal: { atMost: 1 },
    }),
  ];
}

async function timeOf(program: string): Promise<{ ms: number }> {
  const started = performance.now();
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: import.meta.dirname,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`node ended with ${code} at: ${program}`);
  return { ms: performance.now() - started };
}
