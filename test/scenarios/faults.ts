/**
 * A controller that is killed, cut off or refused at any of its writes: the life of the instance goes the same way. Which
 * writes there are is learnt from a life without faults.
 */
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Answer } from "../faults/proxy.ts";
import { eventually } from "../runtime/eventually.ts";
import { Cell } from "./cells.ts";
import { inParallel } from "./in-parallel.ts";
import { conditionOf, endOf, isIn, type StartWorld } from "./seeing.ts";
import { formatPoint, type Lived, WholeLife, type WritePoint, writePoints } from "./whole-life.ts";
import type { World } from "./world.ts";

const longest = 600_000;
/** Each refusal at each write: `npm run test:faults`. Otherwise each write meets one of them, and each of them some. */
const isWhole = process.env.BERG_FAULTS === "all";
/** How many lives each test has at once. All tests run concurrently, and a life mostly waits. */
const atOnce = 4;

export function describeFaults(startWorld: StartWorld): void {
  let world: World;
  let reference: Lived;
  let points: WritePoint[];

  beforeAll(async () => {
    world = await startWorld();
    const cell = await Cell.start(world);
    const life = await WholeLife.prepare(cell);
    reference = await life.live();
    points = writePoints(cell.controller.writes(), life);
    await cell.controller.stop();
  });
  afterAll(() => world?.end());

  const isSame = (lived: Lived) => {
    for (const part of ["children", "tally", "running", "last"] as const) {
      const [mine, clean] = [new Map(Object.entries(lived[part] ?? {})), Object.entries(reference[part] ?? {})];
      const lines = clean
        .filter(([key, value]) => !isDeepStrictEqual(mine.get(key), value))
        .map(([key, value]) => `${key}: ${JSON.stringify(mine.get(key))}, and not ${JSON.stringify(value)}`);
      if (lines.length > 0 || mine.size !== clean.length)
        expect.fail(`${part}: ${[...mine.keys()]}\n${lines.join("\n")}`);
    }
  };

  test("a life without faults takes the writes that it has to, and no more", () => {
    // What is not held could be gone before it is known to exist.
    expect(formatPoint(points[0] as WritePoint)).toBe("patch challengeinstances 1");
    const made = ["namespaces", "ciliumnetworkpolicies", "resourcequotas", "limitranges", "services", "httproutes"];
    expect(points.map(formatPoint).sort()).toEqual(
      [
        ...[...made, "configmaps", "poddisruptionbudgets", "deployments", "controllerrevisions"].map(
          (resource) => `create ${resource} 1`,
        ),
        "create services 2",
        "delete challengeinstances 1",
        "delete deployments 1",
        "delete namespaces 1",
        // The finalizer, on and off.
        "patch challengeinstances 1",
        "patch challengeinstances 2",
        // Creating, Starting, Running, renewed, limited, Terminating, Terminated.
        ...[1, 2, 3, 4, 5, 6, 7].map((nth) => `update challengeinstances/status ${nth}`),
      ].sort(),
    );
  });

  describe("a controller that is killed and started again", { concurrent: true }, () => {
    test.each([
      ["before a write reaches the server", "before"],
      ["after a write was done, and before it knows", "after"],
    ] as const)("%s goes on", { timeout: longest }, async (_, when) => {
      const failures = await inParallel(atOnce, points, formatPoint, async (point) => {
        const cell = await Cell.start(world);
        const life = await WholeLife.prepare(cell);
        const { controller } = cell;
        let restarted: Promise<void> | undefined;
        controller.proxy.at({ ...point, where: life.isOf, when }, () => {
          restarted = controller.kill().then(() => cell.restart());
          return "reset";
        });
        const lived = await life.live();
        // The last write ends the life before it is answered.
        await eventually("the write is reached", () => restarted !== undefined, 10_000);
        await restarted;
        isSame(lived);
        await cell.controller.stop();
      });
      expect(failures).toEqual([]);
    });
  });

  describe("a controller that lives on", { concurrent: true }, () => {
    let cell: Cell;
    beforeAll(async () => {
      cell = await Cell.start(world);
    });

    test("does nothing twice where answers are lost", { timeout: longest }, async () => {
      const failures = await inParallel(atOnce, points, formatPoint, async (point) => {
        const life = await WholeLife.prepare(cell);
        let isReached = false;
        cell.controller.proxy.at({ ...point, where: life.isOf, when: "after" }, () => {
          isReached = true;
          return "reset";
        });
        isSame(await life.live());
        await eventually("the write is reached", () => isReached, 10_000);
      });
      expect(failures).toEqual([]);
    });

    const refusals: [what: string, answer: Answer & object][] = [
      ["a conflict", refusal(409, "Conflict")],
      ["somebody else's object", refusal(409, "AlreadyExists")],
      ["a quota", refusal(403, "Forbidden", 'pods "x" is forbidden: exceeded quota: all')],
      ["too many requests", { ...refusal(429, "TooManyRequests"), headers: { "retry-after": "1" } }],
      ["an internal error", refusal(500, "InternalError")],
      ["an unavailable server", refusal(503, "ServiceUnavailable")],
    ];

    test("is refused once at each of its writes, and gets through", { timeout: longest }, async () => {
      const cases = points
        .flatMap((point, row) => refusals.map(([what, answer], column) => ({ point, what, answer, at: row + column })))
        .filter(({ at }) => isWhole || at % refusals.length === 0);
      const name = ({ point, what }: (typeof cases)[number]) => `${what} at ${formatPoint(point)}`;
      const failures = await inParallel(isWhole ? 4 * atOnce : atOnce, cases, name, async ({ point, answer }) => {
        const life = await WholeLife.prepare(cell);
        let isReached = false;
        cell.controller.proxy.at({ ...point, where: life.isOf, when: "before" }, () => {
          isReached = true;
          return answer;
        });
        isSame(await life.live());
        await eventually("the write is reached", () => isReached, 10_000);
      });
      expect(failures).toEqual([]);
    });

    test("takes an object that is refused for good as a failure, and leaves nothing of it", {
      timeout: longest,
    }, async () => {
      const invalid = refusal(422, "Invalid");
      const failures = await inParallel(atOnce, points, formatPoint, async (point) => {
        const life = await WholeLife.prepare(cell);
        cell.controller.proxy.at({ ...point, where: life.isOf, when: "before" }, () => invalid);
        if (point.verb !== "create") return isSame(await life.live());
        const instance = await life.create();
        const failed = await world.until(instance, isIn("Failed", "ManifestRefused"), { within: 60_000 });
        expect(conditionOf(failed, "NamespaceCreated")?.status).not.toBe("True");
        await eventually("nothing is left of it", () => life.left(instance) === 0);
        expect((await endOf(world, instance)).status).toMatchObject({ terminationReason: "UserRequest" });
      });
      expect(failures).toEqual([]);
    });
  });
}

function refusal(code: number, reason: string, message = `${reason} by the test`): Answer & object {
  return { status: code, body: { kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message } };
}
