import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { freePort } from "../control-plane/ports.ts";
import { liveHeapMiB } from "./live-heap.ts";

const held = `held = Array.from({ length: 20 }, () => new Array(2 ** 17).fill(1.5));`;
const garbage = `for (let i = 0; i < 20; i++) new Array(2 ** 17).fill(1.5);`;

it("counts what a process holds on to, and not its garbage", async () => {
  const empty = await heapOf("");
  expect(await heapOf(garbage)).toBeLessThan(empty + 2);
  expect(await heapOf(held)).toBeGreaterThan(empty + 19);
});

/** Of a process that has run `script`. */
async function heapOf(script: string): Promise<number> {
  const port = await freePort();
  const program = `let held; ${script} process.stdout.write("ran"); setInterval(() => held, 60_000);`;
  const child = spawn(process.execPath, [`--inspect-port=${port}`, "--eval", program], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(child, "exit");
  try {
    await once(child.stdout, "data");
    return await liveHeapMiB(child.pid as number, port);
  } finally {
    child.kill();
    await ended;
  }
}
