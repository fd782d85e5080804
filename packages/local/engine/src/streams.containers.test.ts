import { ended, onEachEngine, until } from "@berg/test/engine";
import { expect, test } from "vitest";
import type { Engine, EngineLogOptions, ExecOptions, LogChunk } from "./engine.ts";

const all: EngineLogOptions = { follow: false, timestamps: false };

async function said(chunks: AsyncIterable<LogChunk>): Promise<{ stdout: string; stderr: string }> {
  const pieces = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  for await (const { stream, bytes } of chunks) pieces[stream].push(bytes);
  return { stdout: Buffer.concat(pieces.stdout).toString(), stderr: Buffer.concat(pieces.stderr).toString() };
}

const plain: Omit<ExecOptions, "command"> = { stdin: false, stdout: true, stderr: true, tty: false };

async function execute(engine: Engine, id: string, script: string, options: Partial<ExecOptions> = {}, input?: string) {
  const session = await engine.exec(id, { ...plain, command: ["sh", "-c", script], ...options });
  if (input !== undefined) {
    await session.write(Buffer.from(input));
    session.endInput();
  }
  const output = await said(session.output);
  return { ...output, code: await session.exitCode() };
}

onEachEngine((given) => {
  test("a log has every line as it was said, however long, and each stream apart", async () => {
    const script = `i=0; while [ $i -lt 100 ]; do
      printf '%s grüezi 🏔 ' $i; head -c $((i * 700)) /dev/zero | tr '\\0' x; echo; echo "err $i" >&2; i=$((i + 1)); done; printf end`;
    const id = await given.run(script);
    await ended(given, id);
    const { stdout, stderr } = await said(given.engine.containerLogs(id, all));
    const want = Array.from({ length: 100 }, (_, i) => `${i} grüezi 🏔 ${"x".repeat(i * 700)}\n`);
    // Podman ends the last line, Docker leaves it as it was said.
    expect(stdout.replace(/end\n$/, "end")).toBe(`${want.join("")}end`);
    expect(stderr).toBe(Array.from({ length: 100 }, (_, i) => `err ${i}\n`).join(""));
  });

  test("a log is followed until the container ends, and what was said before comes first", async () => {
    const id = await given.run("echo one; sleep 1; echo two; sleep 0.3; echo three");
    const { stdout } = await said(given.engine.containerLogs(id, { ...all, follow: true }));
    expect(stdout).toBe("one\ntwo\nthree\n");
  });

  test("a log that nobody adds to is followed until the reader has had enough", async () => {
    const id = await given.run("sleep 100");
    const enough = new AbortController();
    const reading = said(given.engine.containerLogs(id, { ...all, follow: true }, enough.signal));
    setTimeout(() => enough.abort(new Error("enough")), 300);
    await expect(reading).rejects.toThrow("enough");
  });

  test("a log has times where they are asked for, its last lines alone, and those since a time", async () => {
    const id = await given.run("echo one; echo two; sleep 2.1; echo three");
    await ended(given, id);
    const read = async (options: Partial<EngineLogOptions>) =>
      (await said(given.engine.containerLogs(id, { ...all, ...options }))).stdout;
    expect(await read({ tail: 2 })).toBe("two\nthree\n");
    expect(await read({ tail: 0 })).toBe("");
    const stamped = (await read({ timestamps: true })).trim().split("\n");
    expect(stamped).toHaveLength(3);
    for (const line of stamped) expect(line).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d) /);
    const third = Date.parse(stamped[2]?.split(" ")[0] ?? "") / 1000;
    expect(await read({ since: Math.floor(third) })).toBe("three\n");
  });

  test("the log of a terminal is one stream, as it is", async () => {
    const id = await given.run("echo out; echo err >&2", { Tty: true });
    await ended(given, id);
    expect(await said(given.engine.containerLogs(id, all))).toEqual({ stdout: "out\r\nerr\r\n", stderr: "" });
  });

  test("the log of what is not there is refused", async () => {
    await expect(said(given.engine.containerLogs("nothing", all))).rejects.toMatchObject({ status: 404 });
  });

  test("a command runs with its streams and its exit code", async () => {
    const id = await given.run("sleep 100");
    expect(await execute(given.engine, id, "echo out; echo err >&2; exit 3")).toEqual({
      ...{ stdout: "out\n", stderr: "err\n", code: 3 },
    });
    const big = await execute(given.engine, id, "head -c 3000000 /dev/zero | tr '\\0' y");
    expect(big.stdout.length).toBe(3_000_000);
    expect(await execute(given.engine, id, "exit 0", { stderr: false })).toEqual({ stdout: "", stderr: "", code: 0 });
  });

  test("a command reads its input to its end", async () => {
    const id = await given.run("sleep 100");
    const input = `grüezi\n${"z".repeat(500_000)}\n`;
    const { stdout, code } = await execute(given.engine, id, "cat; echo done; exit 4", { stdin: true }, input);
    expect(stdout).toBe(`${input}done\n`);
    expect(code).toBe(4);
  });

  test("a command on a terminal echoes, and knows its size", async () => {
    const id = await given.run("sleep 100");
    const session = await given.engine.exec(id, { ...plain, command: ["sh"], stdin: true, tty: true });
    await session.resize(97, 31);
    await session.write(Buffer.from("stty size; exit 5\n"));
    const { stdout } = await said(session.output);
    expect(stdout).toContain("stty size; exit 5\r\n");
    expect(stdout).toContain("31 97\r\n");
    expect(await session.exitCode()).toBe(5);
  });

  test("a command is let go of, by the caller or by the signal", async () => {
    const id = await given.run("sleep 100");
    const command = ["sh", "-c", "echo up; sleep 100"];
    const stop = new AbortController();
    const session = await given.engine.exec(id, { ...plain, command }, stop.signal);
    const reading = (async () => {
      for await (const { bytes } of session.output) {
        expect(Buffer.from(bytes).toString()).toBe("up\n");
        stop.abort(new Error("stopped"));
      }
    })();
    await expect(reading).rejects.toThrow("stopped");
    const other = await given.engine.exec(id, { ...plain, command });
    for await (const { bytes } of other.output) {
      expect(Buffer.from(bytes).toString()).toBe("up\n");
      break;
    }
    other.close();
  });

  test("a command that is not there ends with 126 or 127 and says why; none runs in what does not run", async () => {
    const id = await given.run("sleep 100");
    const { stdout, stderr, code } = await execute(given.engine, id, "", { command: ["/no/such/program"] });
    expect(stdout + stderr).toMatch(/no such file or directory/);
    expect([126, 127]).toContain(code);
    await given.engine.stopContainer(id, 0);
    await expect(given.engine.exec(id, { ...plain, command: ["id"] })).rejects.toMatchObject({ status: 409 });
    await expect(given.engine.exec("nothing", { ...plain, command: ["id"] })).rejects.toMatchObject({ status: 404 });
  });

  test("what happens to containers is told, to those who asked for their labels", async () => {
    const stop = new AbortController();
    const events = given.engine.events({ watched: "yes" }, stop.signal);
    const seen: { action: string; containerId: string; labels: Readonly<Record<string, string>> }[] = [];
    const reading = (async () => {
      for await (const event of events) seen.push(event);
    })();
    const other = await given.run("exit 0");
    const Labels = { watched: "yes", "berg.test/engine": "yes", "berg.local/pod": "web" };
    const id = await given.run("exit 7", { Labels });
    await ended(given, id);
    await given.engine.removeContainer(id);
    const wanted = ["create", "start", "die", "destroy"];
    await until(async () => seen.some(({ action }) => action === "destroy"));
    expect(seen.map(({ action }) => action).filter((action) => wanted.includes(action))).toEqual(wanted);
    expect(seen.map(({ containerId }) => containerId)).not.toContain(other);
    expect(new Set(seen.map(({ containerId }) => containerId))).toEqual(new Set([id]));
    expect(seen[0]?.labels).toMatchObject(Labels);
    stop.abort(new Error("enough"));
    await expect(reading).rejects.toThrow("enough");
  });
});
