/** Random calls on records, and what it is to make them. */
import fc from "fast-check";
import type { Life, RuntimeRecords } from "../runtime-records.ts";
import type { Model } from "./model.ts";
import { startedAt } from "./place.ts";

export type Call =
  | { do: "live"; life: number; status: Life["status"]; reservedUntil: number | undefined }
  | { do: "pod"; life: number; container: string; seen: { uid: string; restarts: number } }
  | { do: "stop"; life: number; at: number };

const time = fc.integer({ min: startedAt, max: startedAt + 86_400_000 });

/** Few of everything, so that calls meet. Some names are dangerous where they become keys of an object. */
export function anyCall(lives: number, containers = ["web", "db", "toString", "__proto__"]): fc.Arbitrary<Call> {
  const life = fc.nat({ max: lives - 1 });
  const seen = fc.record({ uid: fc.constantFrom("pod-1", "pod-2", "pod-3"), restarts: fc.nat({ max: 3 }) });
  return fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant("live" as const),
        life,
        status: fc.constantFrom("STARTING" as const, "RUNNING" as const),
        reservedUntil: fc.option(time, { nil: undefined }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ do: fc.constant("pod" as const), life, container: fc.constantFrom(...containers), seen }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant("stop" as const), life, at: time }) },
  );
}

export function make(call: Call, records: RuntimeRecords | Model, lives: readonly Life[]): Promise<unknown> | unknown {
  const life = lives[call.life] as Life;
  switch (call.do) {
    case "live":
      return records.live(asSeen(life, call));
    case "pod":
      return records.pod(life.uid, call.container, call.seen);
    case "stop":
      return records.stop(life.uid, call.at);
  }
}

export function asSeen(
  life: Life,
  { status, reservedUntil }: Pick<Life, "status"> & { reservedUntil?: number | undefined },
): Life {
  return { ...life, status, ...(reservedUntil !== undefined && { reservedUntil }) };
}
