import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Http2Server } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { listenOnSocket } from "./unix-socket.ts";

describe("a socket for its owner alone", () => {
  let directory: string;
  let path: string;
  let servers: Http2Server[];

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "berg-socket-"));
    path = join(directory, "server.sock");
    servers = [];
  });
  afterEach(async () => {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
    rmSync(directory, { recursive: true });
  });

  async function listen(where = path): Promise<void> {
    const server = createServer();
    await listenOnSocket(server, where);
    servers.push(server);
  }

  test("can be opened by nobody else", async () => {
    await listen();
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("replaces what a killed process has left, and nothing that answers", async () => {
    writeFileSync(path, "");
    await listen();
    await expect(listen()).rejects.toThrow(`another server proxy answers on ${path}: stop it first, or use another`);
    expect(statSync(path).isSocket()).toBe(true);
  });

  test("needs its directory", async () => {
    const where = join(directory, "missing");
    await expect(listen(join(where, "a.sock"))).rejects.toThrow(`${where} is not there: make it, with mode 700`);
  });
});
