/** A log cannot fill the disk: of one that grows too long the beginning goes, and the rest can be read. */
import { execFileSync } from "node:child_process";
import type { EngineLogOptions } from "@berg/local-engine";
import { ended, onEachEngine } from "@berg/test/engine";
import { expect, test } from "vitest";
import { limitedLog } from "./container-create.ts";

/** Lines of 1 kB, each with its number. */
const say = (from: number, to: number) =>
  `awk 'BEGIN { for (i = ${from}; i < ${to}; i++) printf "%d %01015d\\n", i, 0 }'`;
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
const limited = { HostConfig: { NetworkMode: "none", LogConfig: limitedLog } };

onEachEngine((given) => {
  async function numbers(id: string, options: Partial<EngineLogOptions> = {}): Promise<number[]> {
    let text = "";
    const log = given.engine.containerLogs(id, { follow: false, timestamps: false, ...options });
    for await (const { bytes } of log) text += Buffer.from(bytes).toString();
    return text.trimEnd().split("\n").map(Number.parseFloat);
  }
  const bytesOnDisk = (id: string) => {
    const which = ["-path", `*${id}*`, "-name", "*.log*", "-type", "f", "-printf", "%s\n"];
    const sizes = execFileSync("find", [given.real.directory, ...which], { encoding: "utf8" })
      .trim()
      .split("\n");
    return sizes.map(Number).reduce((sum, bytes) => sum + bytes);
  };

  test("one that is too long loses its beginning", async () => {
    const id = await given.run(say(0, 50_000), limited);
    await ended(given, id);
    expect(bytesOnDisk(id)).toBeGreaterThan(1_000_000);
    expect(bytesOnDisk(id)).toBeLessThan(25_000_000);
    const left = await numbers(id);
    expect(left.length).toBeGreaterThan(1000);
    expect(left).toEqual(range(50_000 - left.length, 50_000));
    expect(await numbers(id, { tail: 2 })).toEqual([49_998, 49_999]);
  });

  // At that moment Podman may leave lines out, and Docker may say some again.
  test("one that grows too long is followed to its end", async () => {
    const pieces = range(0, 8).map((piece) => `${say(piece * 2000, piece * 2000 + 2000)}; sleep 0.5`);
    const id = await given.run(pieces.join("; "), limited);
    const followed = await numbers(id, { follow: true });
    expect(followed[0]).toBe(0);
    expect(followed.at(-1)).toBe(15_999);
  });
});
