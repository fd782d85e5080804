/**
 * Work in a process of its own: nothing that ran before it has warmed its code or filled its memory, and what it costs
 * is its own. Settings go in as a file, since arguments have a limited length, and one message comes back.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const deadlineMs = 300_000;

/** Runs `file` until it has reported; resolves with the report. */
export async function runChild<Out>(file: URL, settings: object, nodeFlags: string[] = []): Promise<Out> {
  await using child = await startChild<Out>(file, settings, nodeFlags);
  return child.report;
}

export interface Child<Out, Next> extends AsyncDisposable {
  report: Out;
  /** Sends an empty message to the process, and resolves with its next report. */
  next(): Promise<Next>;
}

/** Starts `file` and waits for its report; the process goes on until it is disposed of. */
export async function startChild<Out, Next = never>(
  file: URL,
  settings: object,
  nodeFlags: string[] = [],
): Promise<Child<Out, Next>> {
  // Its output goes to our stderr: our stdout may be read by a program.
  const settingsFile = join(mkdtempSync(join(tmpdir(), "berg-bench-")), "settings.json");
  writeFileSync(settingsFile, JSON.stringify(settings));
  const child = fork(file, [settingsFile], { execArgv: nodeFlags, stdio: ["ignore", 2, 2, "ipc"] });
  const ended = once(child, "exit");
  const end = async () => {
    child.kill();
    await ended;
    rmSync(dirname(settingsFile), { recursive: true, force: true });
  };
  try {
    const report = await nextMessage<Out>(child, file);
    const next = () => {
      const answer = nextMessage<Next>(child, file);
      child.send({});
      return answer;
    };
    return { report, next, [Symbol.asyncDispose]: end };
  } catch (error) {
    await end();
    throw error;
  }
}

function nextMessage<Out>(child: ChildProcess, file: URL): Promise<Out> {
  const name = file.pathname.split("/").at(-1);
  return new Promise((resolve, reject) => {
    const overdue = setTimeout(() => reject(new Error(`${name} said nothing for ${deadlineMs / 1000} s`)), deadlineMs);
    child.once("message", (message) => {
      clearTimeout(overdue);
      resolve(message as Out);
    });
    child.once("exit", (code, signal) => {
      clearTimeout(overdue);
      reject(new Error(`${name} ended (${signal ?? `code ${code}`}) without a report`));
    });
  });
}

/** The other side: what the child was given. It goes when its parent goes. */
export function settingsOf<In>(): In {
  process.on("disconnect", () => process.exit());
  return JSON.parse(readFileSync(process.argv[2] as string, "utf8")) as In;
}

export function report(result: object): void {
  process.send?.(result);
}
