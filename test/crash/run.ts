/** Lives one life, with a kill in it or without, and says whether it came to the same. */
import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import type { Seen } from "../faults/proxy.ts";
import { eventually } from "../runtime/eventually.ts";
import type { World } from "../scenarios/world.ts";
import type { Life } from "./lives.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import { Stage, type Start } from "./stage.ts";
import { applied, formatPoint, mayBeMissing, trace, type WritePoint, writePoints } from "./writes.ts";

/** How a life goes in which nobody is killed. */
export interface Clean {
  life: Life;
  outcome: Outcome;
  points: WritePoint[];
  applied: Record<string, number>;
}

export interface Kill {
  clean: Clean;
  point: WritePoint;
  /** Before the server has the write, or after the server has done it and before the writer knows. */
  when: "before" | "after";
}

export async function cleanRun(world: World, life: Life, start: Start): Promise<Clean> {
  const stage = await Stage.open(world, start);
  await life.live(stage);
  const outcome = outcomeOf(stage);
  const writes = stage.writes();
  await stage.close();
  return { life, outcome, points: writePoints(writes), applied: applied(writes) };
}

export function killsOf(clean: Clean): Kill[] {
  return clean.points.flatMap((point) => (["before", "after"] as const).map((when) => ({ clean, point, when })));
}

export function nameOf({ clean, point, when }: Kill): string {
  return `${clean.life.name}, killed ${when} ${formatPoint(point)}`;
}

/**
 * Whoever writes is killed at one of the writes, and another one takes its place. Throws where the end is another. False
 * where that write has not come this time.
 */
export async function killedRun(world: World, { clean, point, when }: Kill, start: Start): Promise<boolean> {
  const stage = await Stage.open(world, start);
  const first = stage.running;
  let restarted: Promise<void> | undefined;
  first.proxy.at({ ...point, when }, () => {
    restarted = first.kill().then(() => stage.restart());
    return "reset";
  });
  try {
    await clean.life.live(stage);
    // The last write ends the life before it is answered.
    const isMet = () => restarted !== undefined;
    if (!mayBeMissing(point)) await eventually("the write is reached", isMet, 20_000);
    await restarted;
    expectSame(clean, outcomeOf(stage), stage.writes());
    return isMet();
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${trace(stage.writes())}`, { cause: error });
  } finally {
    await restarted;
    await stage.close();
  }
}

function expectSame(clean: Clean, outcome: Outcome, writes: readonly Seen[]): void {
  for (const part of ["tally", "stops", "objects"] as const) {
    // Cheap first: what a matcher prints of large equal values takes its time.
    if (!isDeepStrictEqual(outcome[part], clean.outcome[part]))
      expect(outcome[part], part).toEqual(clean.outcome[part]);
  }
  // What was under way beside the write at which it was killed may have been done without an answer: never more.
  const counts = applied(writes);
  const more = Object.keys(counts).filter((what) => (counts[what] ?? 0) > (clean.applied[what] ?? 0));
  expect(more, "done more often than in a clean run").toEqual([]);
}
