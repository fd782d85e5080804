import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { mostStreams } from "./descriptors.ts";
import { connectEnd, type End } from "./testing/ends.ts";

test.each([
  [20_560, 8979],
  [1024, 432],
  [128, 40],
  [10, 1],
])("%d descriptors are enough for %d streams", (descriptors, streams) => {
  expect(mostStreams(descriptors)).toBe(streams);
});

async function startCrowded(...args: string[]) {
  const program = fileURLToPath(import.meta.resolve("./testing/crowded.ts"));
  const child = spawn("sh", ["-c", 'ulimit -n 160; exec "$0" "$@"', process.execPath, program, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const line = async () => String((await once(child.stdout, "data"))[0]);
  return {
    child,
    port: Number(await line()),
    async ask() {
      child.stdin.write("?");
      return JSON.parse(await line());
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}

function connectMany(port: number): End[] {
  return Array.from({ length: 200 }, () => {
    const end = connectEnd(port);
    end.socket.write("x");
    return end;
  });
}

test("without descriptors left the excess is refused, nothing ends, and later there is room again", async () => {
  await using crowded = await startCrowded();
  for (let turn = 0; turn < 3; turn++) {
    const ends = connectMany(crowded.port);
    const served = () => ends.filter(({ text }) => text === "x").length;
    const refused = () => ends.filter(({ text, state }) => text === "" && state !== "open").length;
    await expect.poll(() => served() + refused()).toBe(200);
    expect(served()).toBeGreaterThan(0);
    expect(refused()).toBeGreaterThan(100);
    for (const { socket } of ends) socket.destroy();
  }
  const again = async () => {
    const end = connectEnd(crowded.port);
    end.socket.end("again");
    await expect.poll(() => end.state).not.toBe("open");
    return end.text;
  };
  await expect.poll(again).toBe("again");
  expect(crowded.child.exitCode).toBeNull();
});

test("clients that wait leave enough descriptors for the data connections that they wait for", async () => {
  await using crowded = await startCrowded("without-session");
  const ends = connectMany(crowded.port);
  await expect.poll(() => ends.filter(({ state }) => state === "reset").length).toBe(146);
  expect(await crowded.ask()).toMatchObject({ open: 54, total: 54, refused: 146 });
  for (const { socket } of ends) socket.destroy();
});
