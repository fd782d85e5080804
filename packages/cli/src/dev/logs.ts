/** Follows what all containers of an instance say, those that are started again too. */
import { isBadRequest } from "@berg/apimachinery";
import { type Client, type Clock, Informer, type Pod, Pods, sleep } from "@berg/kube";
import { printable } from "../instance/printable.ts";

export interface LogLine {
  container: string;
  text: string;
}

/** One run of a container: it has a log of its own. */
interface Run {
  pod: string;
  container: string;
  key: string;
}

const retryMs = 500;
/** A line without end is told in pieces. */
const longestLine = 16_384;

/** Until it is told to stop. Where there are no logs, as of simulated pods, it says nothing. */
export async function followLogs(
  { client, clock }: { client: Client; clock: Clock },
  namespace: string,
  tell: (line: LogLine) => void,
  signal: AbortSignal,
): Promise<void> {
  const followed = new Set<string>();
  const following: Promise<void>[] = [];
  const informer = new Informer({ client, type: Pods, selection: { namespace }, clock });
  informer.onChange(({ type, object }) => {
    if (type === "deleted") return;
    for (const run of startedRuns(object)) {
      if (followed.has(run.key)) continue;
      followed.add(run.key);
      following.push(followRun({ client, clock }, namespace, run, tell, signal).catch(() => {}));
    }
  });
  await informer.run(signal).catch(() => {});
  await Promise.all(following);
}

/** Those that have begun, and so may have said something. */
export function startedRuns({ metadata, status }: Pod): Run[] {
  return (status?.containerStatuses ?? [])
    .filter(({ state }) => state?.running || state?.terminated)
    .map(({ name, restartCount }) => ({
      pod: metadata.name,
      container: name,
      key: `${metadata.uid}/${name}/${restartCount}`,
    }));
}

async function followRun(
  { client, clock }: { client: Client; clock: Clock },
  namespace: string,
  { pod, container }: Run,
  tell: (line: LogLine) => void,
  signal: AbortSignal,
): Promise<void> {
  let hasSaid = false;
  const lines = new Lines((text) => tell({ container, text }));
  while (!signal.aborted) {
    try {
      for await (const piece of client.logs(namespace, pod, { container, follow: true, signal })) {
        hasSaid = true;
        lines.add(piece);
      }
      return lines.end();
    } catch (error) {
      // What was told is not told twice; of what is gone, or never runs, nothing is to come.
      if (hasSaid || !isBadRequest(error)) return lines.end();
      await sleep(clock, retryMs, signal);
    }
  }
}

/** Whole lines out of pieces, fit for a terminal. */
export class Lines {
  readonly #tell: (line: string) => void;
  #open = "";

  constructor(tell: (line: string) => void) {
    this.#tell = tell;
  }

  add(piece: string): void {
    const lines = (this.#open + piece).split("\n");
    this.#open = lines.pop() ?? "";
    for (const line of lines) this.#say(line);
    while (this.#open.length > longestLine) {
      this.#say(this.#open.slice(0, longestLine));
      this.#open = this.#open.slice(longestLine);
    }
  }

  end(): void {
    if (this.#open !== "") this.#say(this.#open);
    this.#open = "";
  }

  #say(line: string): void {
    this.#tell(printable(line.replace(/\r$/, "")));
  }
}
