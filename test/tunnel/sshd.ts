/** An ssh server on loopback with throw-away keys, for the user who runs the test, and what an ssh client needs for it. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Component } from "../control-plane/component.ts";
import { startKeeper } from "../control-plane/keeper.ts";
import { Program, programPath } from "./program.ts";

const run = promisify(execFile);
/** Root's sshd wants it; Debian makes it at boot. */
const emptyDirectory = "/run/sshd";

export interface TestSshd extends AsyncDisposable {
  readonly port: number;
  /** Runs a command on the other side of this port, which leads to the server. */
  ssh(port: number, command: string): Program;
}

export async function startSshd(): Promise<TestSshd> {
  await using undo = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), "berg-sshd-"));
  const keeper = startKeeper(directory);
  undo.defer(() => keeper.close());
  const inside = (name: string) => join(directory, name);
  for (const key of ["host", "user"])
    await run(programPath("ssh-keygen"), ["-q", "-t", "ed25519", "-N", "", "-f", inside(key)]);
  const settings = {
    ListenAddress: "127.0.0.1",
    HostKey: inside("host"),
    AuthorizedKeysFile: inside("user.pub"),
    PidFile: "none",
    UsePAM: "no",
    StrictModes: "no",
    PasswordAuthentication: "no",
    PermitRootLogin: "prohibit-password",
  };
  writeFileSync(inside("config"), optionsOf(settings, " ").join("\n"));
  writeFileSync(inside("known"), `berg-test ${readFileSync(inside("host.pub"), "utf8")}`);
  if (process.getuid?.() === 0 && !existsSync(emptyDirectory)) mkdirSync(emptyDirectory, { mode: 0o755 });
  const logFile = inside("log");
  const server = new Component({
    name: "sshd",
    binary: programPath("sshd"),
    logFile,
    keeper,
    flags: (port) => ["-D", "-e", "-f", inside("config"), "-p", String(port)],
    isReady: async (port) => readFileSync(logFile, "utf8").includes(`port ${port}`),
  });
  await server.start();
  undo.defer(() => server.stop());
  const client = { BatchMode: "yes", HostKeyAlias: "berg-test", UserKnownHostsFile: inside("known") };
  const how = ["-F", "none", "-i", inside("user"), ...optionsOf(client, "=").flatMap((option) => ["-o", option])];
  const all = undo.move();
  return {
    port: server.port,
    ssh(port, command) {
      const where = ["-p", String(port), `${userInfo().username}@127.0.0.1`];
      return new Program(programPath("ssh"), [...how, ...where, command]);
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

function optionsOf(settings: Readonly<Record<string, string>>, between: string): string[] {
  return Object.entries(settings).map((pair) => pair.join(between));
}
