/** A process that ends as it is told. Started by process.whole.test.ts. */
import { setTimeout as delay } from "node:timers/promises";
import { ConfigurationError } from "../../config/configuration-error.ts";
import type { Logger } from "../../log.ts";
import { runProcess } from "../process.ts";

const print = (fields: object, message: string) => console.log(JSON.stringify({ message, ...fields }));
const log: Logger = { debug: print, info: print, warn: print, error: print, child: () => log };

const courses: Record<string, (stop: AbortSignal) => Promise<void>> = {
  ends: async () => {},
  fails: async () => {
    throw new Error("the caches of pods are not filled");
  },
  misconfigured: async () => {
    throw new ConfigurationError('cannot read HEALTH_PORT: "eighty" is not a port (1-65535)');
  },
  stops: async (stop) => {
    await delay(60_000, undefined, { signal: stop }).catch(() => {});
    print({}, `in order: ${stop.reason.message}`);
  },
  hangs: () => delay(60_000),
  rejects: async () => {
    void Promise.reject(new Error("flag{secret}"));
    await delay(60_000);
  },
  throws: async () => {
    setImmediate(() => JSON.parse("flag{secret}"));
    await delay(60_000);
  },
  rejectsWithText: async () => {
    void Promise.reject("flag{secret}");
    await delay(60_000);
  },
};

const work = runProcess(log, courses[process.argv[2] ?? ""] as (stop: AbortSignal) => Promise<void>);
print({}, "ready");
await work;
