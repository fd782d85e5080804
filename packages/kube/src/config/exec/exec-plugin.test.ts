import { existsSync, readFileSync } from "node:fs";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeCa } from "../../testing/certificates.ts";
import { FakeClock } from "../../testing/fake-clock.ts";
import { makeFiles } from "../../testing/files.ts";
import { ConfigurationError } from "../configuration-error.ts";
import type { ExecConfig } from "./exec-config.ts";
import { ExecPlugin } from "./exec-plugin.ts";

const apiVersion = "client.authentication.k8s.io/v1";
const cluster = { server: "https://x", skipVerify: false };

/** Counts its runs in a file, and answers with the JSON that `status` evaluates to, in which `n` is that count. */
const counting = (status: string) => `
const fs = require("node:fs");
fs.appendFileSync("runs", "x", { flush: true });
const n = fs.readFileSync("runs", "utf8").length;
console.log(JSON.stringify({ apiVersion: "${apiVersion}", kind: "ExecCredential", status: ${status} }));
`;

async function setup(script: string, options: { exec?: Partial<ExecConfig>; terminal?: boolean } = {}) {
  const directory = await makeFiles({ "plugin.cjs": `process.chdir(__dirname);${script}` });
  const shown: string[] = [];
  const firstWords = Promise.withResolvers<string>();
  const clock = new FakeClock();
  const exec: ExecConfig = {
    what: "exec of user",
    apiVersion,
    command: process.execPath,
    args: [join(directory, "plugin.cjs")],
    env: {},
    provideClusterInfo: false,
    interactiveMode: "Never",
    ...options.exec,
  };
  const plugin = new ExecPlugin(exec, cluster, {
    env: { PATH: directory, OUTER: "outer", BOTH: "outer" },
    terminal: options.terminal ?? false,
    showStderr: (text) => {
      shown.push(text);
      firstWords.resolve(text);
    },
    clock,
  });
  const runs = () => readFile(join(directory, "runs"), "utf8").then((text) => text.length);
  return { directory, plugin, clock, shown, firstWords: firstWords.promise, runs };
}

describe("a plugin's answer", () => {
  test("is kept until shortly before it expires", async () => {
    const { plugin, clock, runs } = await setup(
      counting('{ token: "t" + n, expirationTimestamp: "2026-01-01T00:0" + n + ":00Z" }'),
    );
    expect(await plugin.authorization()).toBe("Bearer t1");
    await clock.advance(49_999);
    expect(await plugin.authorization()).toBe("Bearer t1");
    await clock.advance(1);
    expect(await plugin.authorization()).toBe("Bearer t2");
    expect(await runs()).toBe(2);
  });

  test("is kept for good when it does not expire, until the server refuses it", async () => {
    const { plugin, clock } = await setup(counting('{ token: "t" + n }'));
    const sent = await plugin.authorization();
    await clock.advance(365 * 24 * 3_600_000);
    expect(await plugin.authorization()).toBe(sent);
    plugin.refused(sent);
    expect(await plugin.authorization()).toBe("Bearer t2");
    plugin.refused(sent);
    expect(await plugin.authorization()).toBe("Bearer t2");
    plugin.refused();
    expect(await plugin.authorization()).toBe("Bearer t3");
  });

  test("is asked for once by everybody together", async () => {
    const { plugin, runs } = await setup(counting('{ token: "t" + n }'));
    const all = await Promise.all([plugin.authorization(), plugin.certificate(), plugin.authorization()]);
    expect(all).toEqual(["Bearer t1", undefined, "Bearer t1"]);
    expect(await runs()).toBe(1);
  });

  test("may be a certificate alone", async () => {
    const { cert, key } = await (await makeCa()).issue("ada");
    const { plugin, directory } = await setup(
      counting('{ clientCertificateData: fs.readFileSync("c", "utf8"), clientKeyData: fs.readFileSync("k", "utf8") }'),
    );
    await writeFile(join(directory, "c"), cert);
    await writeFile(join(directory, "k"), key);
    expect(await plugin.certificate()).toEqual({ cert, key });
    expect(await plugin.authorization()).toBeUndefined();
  });

  test("that is wrong is never quoted, nor kept", async () => {
    const { plugin, shown, runs } = await setup(`${counting("null")}; console.log("s3cret")`);
    for (let run = 1; run <= 2; run++) {
      await expect(plugin.authorization()).rejects.toThrow(
        new ConfigurationError("the answer of exec of user is not a JSON object"),
      );
      expect(await runs()).toBe(run);
    }
    expect(shown.join("")).not.toContain("s3cret");
  });
});

describe("a plugin's surroundings", () => {
  const echo = counting(`{ token: Buffer.from(JSON.stringify({
    args: process.argv.slice(2), info: JSON.parse(process.env.KUBERNETES_EXEC_INFO),
    outer: process.env.OUTER, both: process.env.BOTH, home: process.env.HOME,
  })).toString("base64") }`);
  const decode = (header: string | undefined) =>
    JSON.parse(Buffer.from(header?.replace("Bearer ", "") ?? "", "base64").toString());

  test("are its arguments, our environment under its own, and what we want", async () => {
    const { directory, plugin } = await setup(echo, {
      exec: { env: { BOTH: "own" }, interactiveMode: "IfAvailable", provideClusterInfo: true },
    });
    expect(decode(await plugin.authorization())).toEqual({
      args: [],
      outer: "outer",
      both: "own",
      info: { apiVersion, kind: "ExecCredential", spec: { interactive: false, cluster: { server: "https://x" } } },
    });
    const args = [join(directory, "plugin.cjs"), "get-token", "--cluster=a b"];
    const other = await setup(echo, { exec: { args } });
    expect(decode(await other.plugin.authorization()).args).toEqual(["get-token", "--cluster=a b"]);
  });

  test.each([
    { mode: "Never" as const, want: false },
    { mode: "IfAvailable" as const, want: true },
    { mode: "Always" as const, want: true },
  ])("with a terminal and interactiveMode $mode are interactive: $want", async ({ mode, want }) => {
    const { plugin } = await setup(echo, { terminal: true, exec: { interactiveMode: mode } });
    expect(decode(await plugin.authorization()).info.spec.interactive).toBe(want);
  });

  test("must have a terminal where a person has to be asked", async () => {
    const { plugin } = await setup(echo, { exec: { interactiveMode: "Always" } });
    await expect(plugin.authorization()).rejects.toThrow(
      new ConfigurationError("exec of user has to ask a person (interactiveMode Always), and there is no terminal"),
    );
  });

  test("find a bare command in PATH", async () => {
    const { directory, plugin } = await setup("", { exec: { command: "login", args: [] } });
    await writeFile(
      join(directory, "login"),
      `#!${process.execPath}\nprocess.chdir(__dirname);${counting('{ token: "t" }')}`,
    );
    await chmod(join(directory, "login"), 0o755);
    expect(await plugin.authorization()).toBe("Bearer t");
  });
});

describe("a plugin that fails", () => {
  test("has its exit code told, and its words shown, but kept out of the error with its answer", async () => {
    const { plugin, shown } = await setup(
      'console.log("s3cret"); console.error("\\u001b[31mnot logged in:\\nrun login first\\u001b[0m"); process.exitCode = 3',
    );
    await expect(plugin.authorization()).rejects.toThrow(
      new ConfigurationError(`exec of user: "${process.execPath}" ended with exit code 3; see what it printed`),
    );
    expect(shown.join("")).toContain("run login first\u001b[0m\n");
  });

  test.each([
    { command: "no-such-login", want: '"no-such-login" is not installed, or not in PATH: apt install login' },
    { command: "/dev/null", want: '"/dev/null" is not an executable file' },
    { command: "s3cret\0", want: '"s3cret\\u0000" cannot be started (ERR_INVALID_ARG_VALUE)' },
  ])("to start as $command says why", async ({ command, want }) => {
    const { plugin, clock } = await setup("", { exec: { command, installHint: "apt install login\n" } });
    await expect(plugin.authorization()).rejects.toThrow(new ConfigurationError(`exec of user: ${want}`));
    expect(clock.timers).toBe(0);
  });

  test("by talking without end is stopped", async () => {
    const { plugin } = await setup('const s = "x".repeat(65536); (function f() { process.stdout.write(s, f) })()');
    await expect(plugin.authorization()).rejects.toThrow("printed more than 1048576 bytes");
  });
});

describe("a plugin that hangs", () => {
  const hanging = "console.error(process.pid); setInterval(() => {}, 1000);";

  test("is ended after a minute", async () => {
    const { plugin, clock, firstWords } = await setup(hanging);
    const asked = plugin.authorization();
    asked.catch(() => {});
    const pid = Number(await firstWords);
    await clock.advance(59_999);
    expect(isRunning(pid)).toBe(true);
    await clock.advance(1);
    await expect(asked).rejects.toThrow(`"${process.execPath}" gave no answer within 60 s`);
    await expect.poll(() => isRunning(pid)).toBe(false);
    expect(clock.timers).toBe(0);
  });

  test("is ended when nobody waits for it any more", async () => {
    const { plugin, clock, firstWords } = await setup(hanging);
    const controller = new AbortController();
    const asked = plugin.authorization(controller.signal);
    asked.catch(() => {});
    const pid = Number(await firstWords);
    controller.abort("enough");
    await expect(asked).rejects.toBe("enough");
    await expect.poll(() => isRunning(pid)).toBe(false);
    expect(clock.timers).toBe(0);
  });

  test("in a process that it has started takes that with it", async () => {
    const { plugin, clock, firstWords } = await setup(`
      const { spawn } = require("node:child_process");
      spawn(process.execPath, ["-e", ${JSON.stringify(hanging)}], { stdio: "inherit" }).unref();
    `);
    const asked = plugin.authorization();
    asked.catch(() => {});
    const pid = Number(await firstWords);
    onTestFinished(() => {
      if (isRunning(pid)) process.kill(pid);
    });
    await clock.advance(60_000);
    await expect(asked).rejects.toThrow("gave no answer");
    await expect.poll(() => isRunning(pid)).toBe(false);
  });
});

/** One that has ended may stay listed until whoever inherited it takes notice. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const status = existsSync("/proc/self") ? readFileSync(`/proc/${pid}/status`, "utf8") : "";
  return !status.includes("State:\tZ");
}
