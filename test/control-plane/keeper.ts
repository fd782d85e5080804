/**
 * Ends what this process started, whatever ends this process: exit, exception, SIGKILL.
 *
 * A small shell waits on a pipe whose other end only this process holds. Each line it reads lists the processes that
 * run now; when the pipe closes, for whatever reason, it kills those of the last line, runs the clean-up that it was
 * given, and removes the directory.
 */
import { spawn } from "node:child_process";

export interface Keeper {
  /** Resolves once the keeper knows of the process; only then may it do anything. */
  add(pid: number): Promise<void>;
  /** The process ended: its number may soon belong to someone else. */
  remove(pid: number): void;
  /** Nothing is left to keep. Whoever adds after this is refused. */
  close(): Promise<void>;
}

// A killed process may still write for a moment, hence the second before its files go.
const script = `
while read -r line; do running=$line; done
if [ -n "$running" ]; then kill -KILL $running; sleep 1; fi
eval "$2"
if [ -n "$1" ]; then rm -rf -- "$1"; fi
`;

/** `directory` is removed at the end, unless it is undefined. `cleanUp` is a shell script for what is not in it. */
export function startKeeper(directory: string | undefined, cleanUp = ""): Keeper {
  // A session of its own, so that Ctrl-C in the terminal does not end the keeper first.
  const shell = spawn("/bin/sh", ["-c", script, "berg-keeper", directory ?? "", cleanUp], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const exited = new Promise<void>((resolve) => {
    shell.on("exit", () => resolve());
    shell.on("error", () => resolve());
  });
  // A keeper that is gone shows when the next process is added.
  shell.stdin.on("error", () => {});
  shell.unref();

  const running = new Set<number>();
  const tell = () =>
    new Promise<void>((resolve, reject) => {
      shell.stdin.write(`${[...running].join(" ")}\n`, (error) => (error ? reject(error) : resolve()));
    });

  return {
    async add(pid) {
      running.add(pid);
      try {
        await tell();
      } catch (cause) {
        throw new Error("cannot start another process: its keeper is gone", { cause });
      }
    },
    remove(pid) {
      if (running.delete(pid)) tell().catch(() => {});
    },
    async close() {
      shell.ref();
      shell.stdin.end();
      await exited;
    },
  };
}
