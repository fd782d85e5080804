/** Whatever happens, in whatever order, and wherever the controller is killed: see the laws, and the same end. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { makeSettings } from "./testing/make-objects.ts";
import { brokenLaws, orphans } from "./testing/model-laws.ts";
import {
  calmEvent,
  type Event,
  endState,
  type Meanwhile,
  ModelWorld,
  meanwhile,
  wildEvent,
} from "./testing/model-world.ts";

interface Step {
  event: Event;
  meanwhile: Meanwhile[];
}

const steps = (event: fc.Arbitrary<Event>) =>
  fc.array(fc.record({ event, meanwhile: fc.array(meanwhile, { maxLength: 8 }) }), { minLength: 2, maxLength: 12 });

/** The number of runs bounds the work; this only ends a test that hangs. */
const timeout = 600_000;

/** Namespaces: there are two owners, and one of them has to wait. */
const oneAtATime = 1;

const settings = fc.constantFrom(makeSettings(), makeSettings({ maxInstances: 1 }));

async function live(world: ModelWorld, steps: Step[]): Promise<void> {
  world.happen({ is: "challenge created" });
  world.happen({ is: "instance created", owner: 0, hasFlag: true });
  for (const { event, meanwhile } of steps) {
    world.happen(event);
    for (const step of meanwhile) await world.pass(step);
  }
  await world.end();
}

function expectLaws({ cluster, controller }: ModelWorld): void {
  const limits = { instances: controller.settings.maxInstances, namespaces: oneAtATime };
  expect(brokenLaws(cluster.changes, controller.client.requests, limits)).toEqual([]);
  expect(orphans(cluster.objects(), cluster.changes)).toEqual([]);
  const bugs = controller.errors.filter((error) => /rest in|is not a|undefined/.test(String(error)));
  expect(bugs).toEqual([]);
}

test(
  "every law holds at every moment, and a settled instance costs nothing",
  async () => {
    await fc.assert(
      fc.asyncProperty(steps(wildEvent), settings, fc.boolean(), async (steps, settings, hasKinds) => {
        const world = new ModelWorld(settings, hasKinds, oneAtATime);
        await live(world, steps);
        expectLaws(world);
        const requests = await world.controller.requestsOfAnotherLook();
        expect(requests.filter(({ verb }) => verb !== "get")).toEqual([]);
      }),
      { numRuns: 120 },
    );
  },
  timeout,
);

test(
  "the same events end in the same state, whatever was looked at when, and wherever the controller was killed",
  async () => {
    await fc.assert(
      fc.asyncProperty(
        steps(calmEvent),
        fc.array(fc.array(meanwhile, { maxLength: 8 }), { minLength: 12, maxLength: 12 }),
        fc.boolean(),
        async (steps, others, hasKinds) => {
          // Enough places for all: who gets the last one is a matter of who was first.
          const settings = makeSettings({ maxInstances: 20 });
          const [one, other] = [
            new ModelWorld(settings, hasKinds, oneAtATime),
            new ModelWorld(settings, hasKinds, oneAtATime),
          ];
          const ends = (steps: Step[]) => [...steps, { event: { is: "challenge created" as const }, meanwhile: [] }];
          await live(one, ends(steps));
          await live(other, ends(steps.map(({ event }, at) => ({ event, meanwhile: others[at] ?? [] }))));
          expect(endState(one)).toEqual(endState(other));
          expectLaws(one);
          expectLaws(other);
        },
      ),
      { numRuns: 50 },
    );
  },
  timeout,
);
