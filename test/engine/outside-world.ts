/** What stands for the world in a test: another network namespace behind a link, with an address that is nobody's. */
import { execFile } from "node:child_process";
import { randomInt } from "node:crypto";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface OutsideWorld extends AsyncDisposable {
  /** Of 203.0.113.0/24, which is nobody's, and yet none of those that challenges are kept from. */
  readonly address: string;
  /** This machine's own, on the link. */
  readonly hostAddress: string;
  /** Runs there; rejects where it ends with another code than 0. */
  run(...command: string[]): Promise<string>;
  /** Answers every connection to this port with a line. */
  listen(port: number): Promise<void>;
}

export async function startOutsideWorld(): Promise<OutsideWorld> {
  const id = randomInt(0x100000).toString(16);
  const [space, link] = [`berg-w-${id}`, `berg-w-${id}`];
  const last = randomInt(64) * 4;
  const [hostAddress, address] = [`203.0.113.${last + 1}`, `203.0.113.${last + 2}`];
  const ip = async (...args: string[]) => void (await run("ip", args));
  const inside = (...command: string[]) => ["netns", "exec", space, ...command];
  const undo = new AsyncDisposableStack();
  try {
    await ip("netns", "add", space);
    undo.defer(async () => {
      const { stdout } = await run("ip", ["netns", "pids", space]);
      for (const pid of stdout.split("\n").filter(Boolean)) process.kill(Number(pid), "SIGKILL");
      await ip("netns", "delete", space);
    });
    await ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", space);
    undo.defer(() => ip("link", "delete", link).catch(() => {}));
    await ip("address", "add", `${hostAddress}/30`, "dev", link);
    await ip("link", "set", link, "up");
    await ip(...inside("ip", "address", "add", `${address}/30`, "dev", "eth0"));
    await ip(...inside("ip", "link", "set", "eth0", "up"));
    await ip(...inside("ip", "link", "set", "lo", "up"));
    await ip(...inside("ip", "route", "add", "default", "via", hostAddress));
  } catch (error) {
    await undo.disposeAsync();
    throw error;
  }
  return {
    address,
    hostAddress,
    run: async (...command) => (await run("ip", inside(...command))).stdout,
    async listen(port) {
      await ip(...inside("sh", "-c", `busybox nc -ll -p ${port} -e echo world >/dev/null 2>&1 &`));
    },
    [Symbol.asyncDispose]: () => undo.disposeAsync(),
  };
}
