/**
 * The open records as this process knows them, so that a write that would change nothing is not made, and so that they
 * can be counted at any time. One process writes them, the one that leads; what others did before it is loaded.
 */
import { jsonEqual } from "@berg/apimachinery";
import type { Life, RunningPod, RuntimeRecord, RuntimeRecords } from "../records/runtime-records.ts";

export class OpenRecords {
  readonly #records: RuntimeRecords;
  #open = new Map<string, RuntimeRecord>();
  /** What was stopped since the last load began: that one may still show it as open. */
  #stopped = new Set<string>();
  #isLoaded = false;

  constructor(records: RuntimeRecords) {
    this.#records = records;
  }

  /** Until it is, nothing is known of what others wrote, and nothing should be written. */
  get isLoaded(): boolean {
    return this.#isLoaded;
  }

  get size(): number {
    return this.#open.size;
  }

  get(uid: string): RuntimeRecord | undefined {
    return this.#open.get(uid);
  }

  uids(): string[] {
    return [...this.#open.keys()];
  }

  async load(signal: AbortSignal): Promise<void> {
    this.#stopped = new Set();
    const found = await this.#records.open(signal);
    this.#open = new Map(found.filter(({ uid }) => !this.#stopped.has(uid)).map((record) => [record.uid, record]));
    this.#isLoaded = true;
  }

  /** Whether it is open now. */
  async live(life: Life, signal: AbortSignal): Promise<boolean> {
    const known = this.#open.get(life.uid);
    const record = { ...life, pods: known?.pods ?? {} };
    if (known && jsonEqual(known, record)) return true;
    const isOpen = await this.#records.live(life, signal);
    if (isOpen) {
      this.#stopped.delete(life.uid);
      // A pod may have been noted meanwhile.
      this.#open.set(life.uid, { ...life, pods: this.#open.get(life.uid)?.pods ?? {} });
    } else this.#open.delete(life.uid);
    return isOpen;
  }

  /** Nothing happens where the record is not open. */
  async pod(
    uid: string,
    container: string,
    seen: Pick<RunningPod, "uid" | "restarts">,
    signal: AbortSignal,
  ): Promise<void> {
    const known = this.#open.get(uid)?.pods[container];
    if (!this.#open.has(uid) || (known?.uid === seen.uid && known.restarts === seen.restarts)) return;
    await this.#records.pod(uid, container, seen, signal);
    const record = this.#open.get(uid);
    if (!record) return;
    const replaced = (known?.replaced ?? 0) + (known && known.uid !== seen.uid ? 1 : 0);
    this.#open.set(uid, { ...record, pods: { ...record.pods, [container]: { ...seen, replaced } } });
  }

  async stop(uid: string, at: number, signal: AbortSignal): Promise<boolean> {
    const wasOpen = await this.#records.stop(uid, at, signal);
    this.#stopped.add(uid);
    this.#open.delete(uid);
    return wasOpen;
  }
}
