/** Records as they should be, in the fewest words; what the suite compares every place with. */
import type { Life, RunningPod, RuntimeRecord } from "../runtime-records.ts";

export class Model {
  readonly #records = new Map<string, RuntimeRecord>();

  live(life: Life): boolean {
    this.#records.set(life.uid, { ...life, pods: this.#records.get(life.uid)?.pods ?? {} });
    return true;
  }

  pod(uid: string, container: string, seen: { uid: string; restarts: number }): void {
    const known = this.#records.get(uid);
    if (!known || known.stoppedAt !== undefined) return;
    const entries = new Map<string, RunningPod>(Object.entries(known.pods));
    const before = entries.get(container);
    const replaced = before === undefined ? 0 : before.uid === seen.uid ? before.replaced : before.replaced + 1;
    entries.set(container, { ...seen, replaced });
    this.#records.set(uid, { ...known, pods: Object.fromEntries(entries) });
  }

  stop(uid: string, at: number): boolean {
    const known = this.#records.get(uid);
    if (!known || known.stoppedAt !== undefined) return false;
    const { reservedUntil: _free, ...rest } = known;
    this.#records.set(uid, { ...rest, status: "STOPPED", stoppedAt: at });
    return true;
  }

  get(uid: string): RuntimeRecord | undefined {
    return this.#records.get(uid);
  }

  open(): RuntimeRecord[] {
    return [...this.#records.values()].filter(({ stoppedAt }) => stoppedAt === undefined);
  }
}
