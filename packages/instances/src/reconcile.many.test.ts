/** Ten thousand instances whose time is up at the same moment, as at the end of a competition. */
import { keyOf } from "@berg/apimachinery";
import { type AddOptions, Controller } from "@berg/kube";
import { FakeClock } from "@berg/kube/testing";
import { type ChallengeInstance, ChallengeInstances } from "@berg/resources";
import { expect, test } from "vitest";
import { decide } from "./phases/decide.ts";
import { makeInstance, makeSettings, startOfTest } from "./testing/make-objects.ts";
import { makeSnapshot } from "./testing/make-snapshot.ts";
import { ModelCluster } from "./testing/model-cluster.ts";
import { ModelController } from "./testing/model-controller.ts";

const many = 10_000;
const end = startOfTest + 7_200_000;
const settings = makeSettings();

/** Of a Challenge that is not there, so that there is nothing to make: they expire like all others. */
function fill(cluster: ModelCluster): void {
  const warned = makeInstance().held().identified(end).withStatus({ expiresSoon: true });
  const { status } = decide(makeSnapshot(warned).with({ challenge: undefined }).seen, settings);
  for (let n = 0; n < many; n++) {
    const { object } = makeInstance(`i${n}`, `owner-${n}`).held().withStatus(status);
    cluster.create("hand", ChallengeInstances, object);
  }
}

// All times are of a fake clock, and what is compared are numbers of reconciles and requests. The work is the same each
// time, about 40,000 reconciles, and the limit only ends a test that hangs.
test("each is looked at on time and not more often than it changes, and before that none costs a request", {
  timeout: 600_000,
}, async () => {
  const clock = new FakeClock(startOfTest);
  const cluster = new ModelCluster();
  Object.defineProperty(cluster, "now", { get: () => clock.now() });
  fill(cluster);
  const model = new ModelController(cluster, settings);
  let looks = 0;
  const controller = new Controller(
    {
      name: "challengeinstance",
      workers: 32,
      watches: [],
      async reconcile(key) {
        looks++;
        try {
          return await model.look(key);
        } finally {
          model.deliver((kind) => kind === ChallengeInstances.kind);
        }
      },
      resyncMs: 2 * 7_200_000,
    },
    { clock, random: () => 0.5 },
  );
  model.enqueue = (key: string, options?: AddOptions) => controller.queue.add(key, options);
  const stop = new AbortController();
  const run = controller.run(stop.signal, stop.signal);
  const all = () => cluster.all<ChallengeInstance>("ChallengeInstance");

  for (const instance of all()) controller.queue.add(keyOf(instance));
  await clock.advance(end - startOfTest - 1);
  expect([looks, model.client.requests.length]).toEqual([many, 0]);

  await clock.advance(1);
  const late = all().filter(({ status }) => status?.phase !== "Terminated");
  expect(late.length).toBe(0);
  await clock.advance(1000);
  expect(all().length).toBe(0);
  // Its end, the deletion that we ask for ourselves, that it is gone, and some that came too early for the copy.
  expect(looks).toBeLessThan(5 * many);
  stop.abort();
  await run;
});
