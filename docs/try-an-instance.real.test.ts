/** Runs the commands of the guide as its reader would, in their order, with the shipped controller and the real kubectl. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { startSimulator } from "@berg/local-node";
import { missingControlPlane, provideBinaries, startControlPlane } from "@berg/test";
import { describe, expect, test } from "vitest";

const checkout = join(import.meta.dirname, "..");

/** What stands between ```sh and ```, one block after the other. */
function blocksOf(guide: string): string[] {
  return [...guide.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = ""]) => block);
}

describe.skipIf(await missingControlPlane())("the guide to try an instance", () => {
  test("works from its first command to its last", { timeout: 180_000 }, async () => {
    await using controlPlane = await startControlPlane({ scheduler: false });
    await using _simulator = await startSimulator({ connection: controlPlane.connection, nodes: 2 });
    const env = {
      ...process.env,
      KUBECONFIG: controlPlane.kubeconfig,
      PATH: `${await provideBinaries()}:${process.env.PATH}`,
      HEALTH_PORT: "0",
      METRICS_PORT: "0",
    };
    const run = async (script: string) =>
      (await promisify(execFile)("bash", ["-euo", "pipefail", "-c", script], { cwd: checkout, env })).stdout;

    const [kinds = "", ...steps] = blocksOf(await readFile(join(import.meta.dirname, "try-an-instance.md"), "utf8"));
    await run(kinds);
    const controller = spawn(process.execPath, [join(checkout, "packages/cli/src/main.ts"), "controller"], {
      env: { ...env, NETWORK_POLICY: "kubernetes" },
      stdio: "ignore",
    });
    try {
      const said: string[] = [];
      for (const step of steps) {
        // A reader takes a moment. What is renewed in the second in which it began gains nothing, and is told so.
        await delay(1100);
        said.push(await run(step));
      }
      const [, shown = "", renewal = ""] = said;
      expect(shown).toContain('"protocol":"TCP"');
      expect(shown).toContain("deployment.apps/echo");
      expect(shown).toContain("InstanceReady");
      expect(renewal).toContain("Renewed (1 of 3)");
      expect(await run("kubectl get namespaces -o name")).not.toContain("challenge-");
    } finally {
      controller.kill();
      await once(controller, "exit");
    }
  });
});
