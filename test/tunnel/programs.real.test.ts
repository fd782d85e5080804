/** Programs that know nothing of tunnels, through both proxies: netcat, PostgreSQL's own client, and ssh. */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ProxyPair } from "../../packages/tunnel/src/pair/testing/proxy-pair.ts";
import { startAnswerAfterEnd, startServer } from "../../packages/tunnel/src/streams/testing/ends.ts";
import { freePort } from "../control-plane/ports.ts";
import { findPostgres } from "../postgres/missing.ts";
import { startPostgres, type TestPostgres } from "../postgres/postgres.ts";
import { Program, programPath } from "./program.ts";
import { startSshd, type TestSshd } from "./sshd.ts";

const long = { timeout: 60_000 };

describe("through the pair", () => {
  let pair: ProxyPair;
  let lastTunnel = 0;
  const tunnelTo = (port: number) => pair.tunnel(++lastTunnel, port);

  beforeAll(async () => {
    pair = await ProxyPair.start();
  });
  afterAll(() => pair[Symbol.asyncDispose]());

  describe("netcat", () => {
    /** -N: the end of its stdin is the end of what it sends. */
    const nc = (port: number) => new Program(programPath("nc"), ["-N", "127.0.0.1", String(port)]);

    test("that has sent all it had gets the answer: echo x | nc", async () => {
      await using server = await startAnswerAfterEnd(Buffer.from("an answer\n"));
      await using client = nc(await tunnelTo(server.port)).end("x\n");
      expect(await client.ended()).toBe(0);
      expect(client.said.toString()).toBe("an answer\n");
    });

    test("that has got all there is can still send", async () => {
      const heard: Buffer[] = [];
      let isOver = false;
      await using server = await startServer((socket) => {
        socket
          .on("data", (bytes) => heard.push(bytes))
          .on("end", () => {
            isOver = true;
          });
        socket.end("that is all\n");
      });
      await using client = nc(await tunnelTo(server.port));
      await expect.poll(() => client.said.toString(), long).toBe("that is all\n");
      client.end("x\n");
      await expect.poll(() => [isOver, Buffer.concat(heard).toString()], long).toEqual([true, "x\n"]);
      expect(await client.ended()).toBe(0);
    });

    test("talks to another netcat, and both end", async () => {
      const port = await freePort();
      await using server = new Program(programPath("nc"), ["-v", "-N", "-l", "127.0.0.1", String(port)]);
      await expect.poll(() => server.complained, long).toContain("Listening");
      await using client = nc(await tunnelTo(port));
      client.write("from the client\n");
      await expect.poll(() => server.said.toString(), long).toBe("from the client\n");
      server.end("from the server\n");
      await expect.poll(() => client.said.toString(), long).toBe("from the server\n");
      client.end("and the last word\n");
      expect([await client.ended(), await server.ended()]).toEqual([0, 0]);
      expect(server.said.toString()).toBe("from the client\nand the last word\n");
    });
  });

  describe("PostgreSQL's client", () => {
    let postgres: TestPostgres;
    let url: string;
    beforeAll(async () => {
      postgres = await startPostgres();
      url = await postgres.newDatabase("kept");
    });
    afterAll(() => postgres[Symbol.asyncDispose]());

    async function psql(...commands: string[]): Promise<Program> {
      const through = new URL(url);
      through.port = String(await tunnelTo(postgres.port));
      const flags = ["-X", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", through.href];
      return new Program(join(findPostgres() ?? "", "psql"), [...flags, ...commands.flatMap((each) => ["-c", each])]);
    }

    test("signs in and works as on the direct way", async () => {
      await using client = await psql(
        "create table notes (number int primary key, text text)",
        "insert into notes select n, md5(n::text) from generate_series(1, 1000) n",
        "select count(*), md5(string_agg(text, '' order by number)) from notes",
      );
      client.end();
      expect([await client.ended(), client.complained]).toEqual([0, ""]);
      const sum = await postgres.query("kept", "select count(*), md5(string_agg(text, '' order by number)) from notes");
      expect(client.said.toString().trim().split("\n").at(-1)).toBe(sum);
      expect(sum).toMatch(/^1000\|/);
    });

    test("copies 200,000 rows in and out again", async () => {
      const rows = Array.from({ length: 200_000 }, (_, i) => `${i}\t${i * 7919}\n`).join("");
      await postgres.query("kept", "create table rows (number int, value bigint)");
      await using writer = await psql("copy rows from stdin");
      writer.end(rows);
      expect([await writer.ended(), writer.complained]).toEqual([0, ""]);
      await using reader = await psql("copy (select * from rows order by number) to stdout");
      reader.end();
      expect(await reader.ended()).toBe(0);
      expect(reader.said.toString() === rows).toBe(true);
    });
  });

  describe("ssh", () => {
    let sshd: TestSshd;
    beforeAll(async () => {
      sshd = await startSshd();
    });
    afterAll(() => sshd[Symbol.asyncDispose]());

    test("runs a command, and brings its words and its exit code", async () => {
      await using ssh = sshd.ssh(await tunnelTo(sshd.port), "echo out; echo err >&2; exit 7");
      ssh.end();
      expect([await ssh.ended(), ssh.said.toString(), ssh.complained]).toEqual([7, "out\n", "err\n"]);
    });

    test("pipes 10 MB there and back", async () => {
      const bytes = randomBytes(10_000_000);
      await using ssh = sshd.ssh(await tunnelTo(sshd.port), "cat");
      ssh.end(bytes);
      expect(await ssh.ended()).toBe(0);
      expect(ssh.said.equals(bytes)).toBe(true);
    });
  });
});
