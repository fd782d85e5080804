/** A Secret that was published, and that somebody has taken our label off: it is not among those that are watched. */
import { Secrets } from "@berg/kube";
import { expect, test } from "vitest";
import { embeddedPlace } from "../kubeconfig/testing/embedded.ts";
import { openStage, type Stage } from "../kubeconfig/testing/stage.ts";
import { tried } from "../kubeconfig/testing/tried.ts";
import { whileTesting } from "../kubeconfig/testing/while-testing.ts";
import { labels, managedByClusters } from "../vocabulary.ts";

const world = whileTesting(embeddedPlace);

const label = (stage: Stage, value: string | null) => {
  const body = { metadata: { labels: { [labels.managedBy]: value } } };
  const { home, namespaceName } = stage.place;
  return home.patch(Secrets, namespaceName, "bare-kubeconfig", { type: "merge", body });
};

test("is not ours to write any more: it is said at once, what it holds works on, and without it there is a new one", async () => {
  await using stage = await openStage(world);
  const { place, until, untilCondition, clock } = stage;
  await place.request("bare", { expiration: 86_400 });
  await until("bare", "Issued 1");
  const text = await place.published("bare");
  await label(stage, null);
  await untilCondition("bare", "Issued", "True SecretNameTaken");
  expect(await place.published("bare")).toBe(text);
  expect(await tried(text)).toBe("works");
  await place.home.delete(Secrets, place.namespaceName, "bare-kubeconfig");
  clock.jump(120_000);
  await until("bare", "Issued 2");
  expect(await tried(await place.published("bare"))).toBe("works");
});

test("is as it was published when the label is put back: nothing is in the way, and no new one is issued", async () => {
  await using stage = await openStage(world);
  const { place, until, untilCondition } = stage;
  await place.request("bare", { expiration: 86_400 });
  await until("bare", "Issued 1");
  await label(stage, null);
  await untilCondition("bare", "Issued", "True SecretNameTaken");
  await label(stage, managedByClusters);
  const { status } = await untilCondition("bare", "Issued", "True Issued");
  expect(status?.epoch).toBe(1);
});
