/** Records in memory, that count what is asked of them. */
import type { RuntimeRecords } from "../records/runtime-records.ts";
import { Model } from "../records/testing/model.ts";

export class MemoryRecords extends Model {
  readonly calls: string[] = [];

  asRecords(): RuntimeRecords {
    return {
      live: async (life) => {
        this.calls.push(`live ${life.status}`);
        return this.live(life);
      },
      pod: async (uid, container, seen) => {
        this.calls.push(`pod ${container} ${seen.uid} ${seen.restarts}`);
        this.pod(uid, container, seen);
      },
      stop: async (uid, at) => {
        this.calls.push(`stop ${uid}`);
        return this.stop(uid, at);
      },
      get: async (uid) => this.get(uid),
      open: async () => this.open(),
      async [Symbol.asyncDispose]() {},
    };
  }
}
