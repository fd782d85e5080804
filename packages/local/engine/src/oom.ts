/**
 * Whether the kernel killed a process of a container for want of memory, by the kernel's own log. Podman before 5.0
 * never says so: its monitor writes that down where Podman does not look (containers/conmon#504).
 *
 * Where the log cannot be read, as by an ordinary user, the answer is no.
 */
import { closeSync, constants, openSync, readSync } from "node:fs";

const logFile = "/dev/kmsg";
/** The longest record that the kernel writes. */
const recordSize = 8192;
const remembered = 1000;

export class OomLog {
  /** By container; the oldest first. The log forgets, and is long. */
  readonly #known = new Map<string, boolean>();

  killed(containerId: string): boolean {
    const known = this.#known.get(containerId);
    if (known !== undefined) return known;
    const answer = search(containerId);
    this.#known.set(containerId, answer);
    const [oldest] = this.#known.keys();
    if (this.#known.size > remembered && oldest !== undefined) this.#known.delete(oldest);
    return answer;
  }
}

/** At once: the kernel never has one wait for what it has written already, and has thousands of lines. */
function search(containerId: string): boolean {
  let log: number | undefined;
  try {
    log = openSync(logFile, constants.O_RDONLY | constants.O_NONBLOCK);
    const buffer = Buffer.alloc(recordSize);
    for (;;) {
      const length = readRecord(log, buffer);
      if (isOomKill(buffer.toString("latin1", 0, length), containerId)) return true;
    }
  } catch {
    // The end of what there is (EAGAIN), or a log that is not for us.
    return false;
  } finally {
    if (log !== undefined) closeSync(log);
  }
}

/** `6,1234,36846419420,-;oom-kill:constraint=…,task_memcg=/libpod_parent/libpod-<id>,task=tail,pid=15481,uid=0` */
export function isOomKill(record: string, containerId: string): boolean {
  const memcg = /;oom-kill:.*,task_memcg=([^,]*)/.exec(record)?.[1];
  return memcg?.includes(containerId) ?? false;
}

function readRecord(log: number, buffer: Buffer): number {
  try {
    return readSync(log, buffer, 0, recordSize, null);
  } catch (error) {
    // The kernel was faster than the reader; the next read has the oldest record that is left.
    if ((error as NodeJS.ErrnoException).code === "EPIPE") return 0;
    throw error;
  }
}
