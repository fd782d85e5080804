import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock as clock } from "@berg/kube";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { connectServerProxy } from "./client.ts";
import { findServerProxy, launchServerProxy, type RunningServerProxy, stopServerProxy } from "./launch.ts";

describe("launching a server proxy", { timeout: 120_000 }, () => {
  let directory: string;
  let launched: RunningServerProxy[];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "berg-launch-"));
    launched = [];
  });
  afterEach(async () => {
    await Promise.all(launched.map((server) => stopServerProxy(server, clock)));
    rmSync(directory, { recursive: true });
  });

  async function launch(where = directory): Promise<RunningServerProxy> {
    const server = await launchServerProxy({ directory: where, name: "test", clock });
    launched.push(server);
    return server;
  }

  test("says who it is, logs to files, and listens where only its owner can knock", async () => {
    const server = await launch();
    expect(server.startTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    expect(server.certificate).toContain("BEGIN CERTIFICATE");
    expect(JSON.parse(readFileSync(server.stdoutFile, "utf8"))).toMatchObject({ pid: server.pid });
    expect(existsSync(server.stderrFile)).toBe(true);
    expect(statSync(server.socket).mode & 0o777).toBe(0o600);
    // Its own session, so that whatever ends the launcher's does not end it; and nothing of its environment.
    expect(readFileSync(`/proc/${server.pid}/stat`, "utf8").split(" ")[5]).toBe(String(server.pid));
    expect(readFileSync(`/proc/${server.pid}/environ`, "utf8")).toMatch(/^PATH=[^\0]*\0UV_THREADPOOL_SIZE=\d+\0$/);
  });

  test("is found again by another that only knows the directory, and its end is told", async () => {
    const { exited, ...server } = await launch();
    const found = findServerProxy(directory, clock);
    expect(found).toMatchObject(server);
    process.kill(server.pid, "SIGKILL");
    expect(await exited).toEqual({ code: null, signal: "SIGKILL" });
    expect(await found?.exited).toEqual({ code: null, signal: null });
    expect(findServerProxy(directory, clock)).toBe(undefined);
  });

  test("is not taken for another process that has its number", async () => {
    const { pid, started, ...rest } = await launch();
    const earlier = `${started}0`;
    writeFileSync(rest.stdoutFile, `${JSON.stringify({ ...rest, pid, started: earlier })}\n`);
    expect(findServerProxy(directory, clock)).toBe(undefined);
    await stopServerProxy({ pid, started: earlier }, clock);
    expect(() => process.kill(pid, 0)).not.toThrow();
  });

  test("takes the socket of one that was killed, and refuses beside one that lives", async () => {
    const first = await launch();
    process.kill(first.pid, "SIGKILL");
    await first.exited;
    expect(existsSync(first.socket)).toBe(true);
    const second = await launch();
    using control = connectServerProxy(second.socket);
    expect(await control.listTunnels()).toEqual([]);
    await expect(launch()).rejects.toThrow(`runs in ${directory} already, as process ${second.pid}: stop it first`);
    expect(await control.listTunnels()).toEqual([]);
    expect(findServerProxy(directory, clock)).toMatchObject({ pid: second.pid });
  });

  test("ends one that does not listen to a polite word", async () => {
    const server = await launch();
    process.kill(server.pid, "SIGSTOP");
    await stopServerProxy(server, clock);
    expect(await server.exited).toEqual({ code: null, signal: "SIGKILL" });
  });

  test("refuses a directory that others may enter", async () => {
    chmodSync(directory, 0o755);
    await expect(launch()).rejects.toThrow(`others than its owner may enter ${directory}: chmod 700 it`);
  });

  test("listens in a directory whose path is too long for a socket, and is found there", async () => {
    const long = join(directory, "x".repeat(120));
    mkdirSync(long, { mode: 0o700 });
    const server = await launch(long);
    using control = connectServerProxy(server.socket);
    expect(await control.listTunnels()).toEqual([]);
    expect(statSync(join(long, "server.sock")).mode & 0o777).toBe(0o600);
    const found = findServerProxy(long, clock);
    expect(found).toMatchObject({ pid: server.pid, socket: server.socket });
    await stopServerProxy(server, clock);
    expect(existsSync(join(long, "server.sock"))).toBe(false);
  });

  test.each([
    ...["(node:1) a warning", "null", "7", '"text"', "[]", "{}"],
    // No process has such a number.
    '{"pid":4194305,"startTime":"","socket":"","certificate":""}',
    '{"pid":"1","started":"","startTime":"","socket":"","certificate":""}',
  ])("a first line that is not an introduction says nothing of any process: %s", (line) => {
    writeFileSync(join(directory, "server.stdout"), `${line}\n`);
    expect(findServerProxy(directory, clock)).toBe(undefined);
  });

  test("ends what it has started where it is told to stop meanwhile", async () => {
    const stop = new AbortController();
    const launching = launchServerProxy({ directory, name: "test", clock, signal: stop.signal });
    launching.catch(() => {});
    await expect.poll(() => processesWith(directory)).toHaveLength(1);
    stop.abort(new Error("never mind"));
    await expect(launching).rejects.toThrow("never mind");
    await expect.poll(() => processesWith(directory)).toEqual([]);
  });
});

/** Those that run with this on their command line. One that has ended, and waits for its parent, has none. */
function processesWith(word: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(word);
    } catch {
      return false;
    }
  });
}

describe("a client of a server proxy", () => {
  test("says on which socket nobody answers, whether it is there or not", async () => {
    const directory = mkdtempSync(join(tmpdir(), "berg-launch-"));
    const path = join(directory, "server.sock");
    using control = connectServerProxy(path);
    await expect(control.listTunnels()).rejects.toThrow(`no server proxy answers on ${path}`);
    rmSync(directory, { recursive: true });
  });

  test("gives up when it is told to, with the reason that it was given", async () => {
    const directory = mkdtempSync(join(tmpdir(), "berg-launch-"));
    const path = join(directory, "server.sock");
    const silent: Server = createServer();
    await new Promise<void>((resolve) => silent.listen(path, resolve));
    using control = connectServerProxy(path);
    const stop = new AbortController();
    const listing = control.listTunnels(stop.signal);
    stop.abort(new Error("no patience"));
    await expect(listing).rejects.toThrow("no patience");
    control[Symbol.dispose]();
    await new Promise((resolve) => silent.close(resolve));
    rmSync(directory, { recursive: true });
  });
});
