/**
 * A part of Berg is killed right before and right after its writes, in each way in which an instance can live: the life
 * comes to the same, and no object is created or deleted more often. Which writes there are is learnt from lives in
 * which nobody is killed.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { refuseImages } from "../scenarios/image-policy.ts";
import { inParallel } from "../scenarios/in-parallel.ts";
import type { StartWorld } from "../scenarios/seeing.ts";
import type { World } from "../scenarios/world.ts";
import { kindOf, oneOfEach } from "./choose.ts";
import type { Life } from "./lives.ts";
import { type Clean, cleanRun, type Kill, killedRun, killsOf, nameOf } from "./run.ts";
import type { Start } from "./stage.ts";
import { formatPoint, mayBeMissing } from "./writes.ts";

export interface CrashOptions {
  lives: readonly Life[];
  /** Who is killed. */
  start: Start;
  /** The same as the process that we ship, killed with SIGKILL: tried at some writes. */
  asProcess?: Start;
  /** Which of all kills are tried. */
  choose(kills: readonly Kill[]): readonly Kill[];
  /** How many lives a test has at once. Where it is 1, tests never run concurrently, even in a concurrent suite. */
  atOnce: number;
}

const longest = 1_800_000;

export function describeCrashes(startWorld: StartWorld, options: CrashOptions): void {
  const { lives, start, asProcess, choose, atOnce } = options;
  const testOptions = { timeout: longest, ...(atOnce === 1 && { concurrent: false }) };
  const cleans = new Map<string, Clean>();
  let world: World;

  async function liveAll(): Promise<Clean[]> {
    const all: Clean[] = [];
    const name = ({ name }: Life) => name;
    const failures = await inParallel(atOnce, lives, name, async (life) => {
      all.push(await cleanRun(world, life, start));
    });
    expect(failures).toEqual([]);
    return all;
  }

  beforeAll(async () => {
    world = await startWorld();
    await refuseImages(world.client, "deployments.invalid.example.com");
    for (const clean of await liveAll()) cleans.set(clean.life.name, clean);
  }, longest);
  afterAll(() => world?.end());

  const allKills = () => lives.flatMap(({ name }) => killsOf(cleans.get(name) as Clean));

  async function tryEach(kills: readonly Kill[], most: number, start: Start): Promise<void> {
    const met = new Set<Kill>();
    const failures = await inParallel(most, kills, nameOf, async (kill) => {
      if (await killedRun(world, kill, start)) met.add(kill);
    });
    process.stdout.write(table(kills, met));
    expect(failures).toEqual([]);
    expect(met.size, "writes that came again").toBeGreaterThan(kills.length * 0.7);
  }

  test("a life in which nobody is killed comes to the same each time", testOptions, async () => {
    const sure = ({ points }: Clean) =>
      points
        .filter((point) => !mayBeMissing(point))
        .map(formatPoint)
        .sort();
    for (const clean of await liveAll()) {
      const before = cleans.get(clean.life.name) as Clean;
      expect(clean.outcome, clean.life.name).toEqual(before.outcome);
      expect(clean.applied, clean.life.name).toEqual(before.applied);
      expect(sure(clean), clean.life.name).toEqual(sure(before));
    }
  });

  test("a life in which it is killed and started again comes to the same", testOptions, () =>
    tryEach(choose(allKills()), atOnce, start),
  );

  // What runs in this process is killed by cutting all its connections for ever: to the server, the same.
  if (asProcess) {
    test("and so it does with SIGKILL and the process that we ship", testOptions, () => {
      const some = oneOfEach(allKills(), kindOf).filter((_, at) => at % 4 === 0);
      return tryEach(some, 1, asProcess);
    });
  }
}

/** A line a life: at how many writes it was tried, and how many of them it came through. */
function table(kills: readonly Kill[], met: ReadonlySet<Kill>): string {
  const lines = [...Map.groupBy(kills, ({ clean }) => clean.life.name)].map(([name, ofLife]) => {
    const through = ofLife.filter((kill) => met.has(kill)).length;
    return `${name.padEnd(44)}${String(through).padStart(4)} of ${ofLife.length} kills`;
  });
  return `${lines.join("\n")}\n`;
}
