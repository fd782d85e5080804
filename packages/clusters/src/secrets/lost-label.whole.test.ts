/** A Secret that was published, and that somebody has taken our label off: it is not among those that are watched. */
import { Secrets } from "@berg/kube";
import { expect, test } from "vitest";
import { embeddedPlace } from "../kubeconfig/testing/embedded.ts";
import { openStage } from "../kubeconfig/testing/stage.ts";
import { tried } from "../kubeconfig/testing/tried.ts";
import { whileTesting } from "../kubeconfig/testing/while-testing.ts";

const world = whileTesting(embeddedPlace);

test("is not ours to write any more: it is said at once, what it holds works on, and without it there is a new one", async () => {
  await using stage = await openStage(world);
  const { place, until, untilCondition, clock } = stage;
  await place.request("bare", { expiration: 86_400 });
  await until("bare", "Issued 1");
  const text = await place.published("bare");
  const body = { metadata: { labels: { "app.kubernetes.io/managed-by": null } } };
  await place.home.patch(Secrets, place.namespaceName, "bare-kubeconfig", { type: "merge", body });
  await untilCondition("bare", "Issued", "True SecretNameTaken");
  expect(await place.published("bare")).toBe(text);
  expect(await tried(text)).toBe("works");
  await place.home.delete(Secrets, place.namespaceName, "bare-kubeconfig");
  clock.jump(120_000);
  await until("bare", "Issued 2");
  expect(await tried(await place.published("bare"))).toBe("works");
});
