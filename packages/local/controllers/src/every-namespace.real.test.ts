/** What every namespace gets, by ours and by Kubernetes' own. */
import { isNotFound } from "@berg/apimachinery";
import { ConfigMaps, Namespaces, ServiceAccounts } from "@berg/kube";
import { missingControlPlane, startControlPlane } from "@berg/test";
import { describe, expect, test } from "vitest";
import { addRootCaController } from "./root-ca/root-ca.ts";
import { addServiceAccountController } from "./service-accounts/service-accounts.ts";
import { eventually } from "./testing/eventually.ts";
import { useWorld, worlds } from "./testing/worlds.ts";

const rootCa = "-----BEGIN CERTIFICATE-----\nnone\n-----END CERTIFICATE-----\n";

describe.skipIf(await missingControlPlane()).each(worlds)("every namespace, %s", (world) => {
  const plane = useWorld(startControlPlane, world, (manager) => {
    addServiceAccountController(manager);
    addRootCaController(manager, { rootCa });
  });
  const orUndefined = (error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  };
  const account = () => plane.client.get(ServiceAccounts, "new", "default").catch(orUndefined);
  const map = () => plane.client.get(ConfigMaps, "new", "kube-root-ca.crt").catch(orUndefined);
  const content = () => (world === "ours" ? rootCa : expect.stringContaining("BEGIN CERTIFICATE"));

  test("has a service account and the root certificate, old ones as well as new ones", async () => {
    const { client } = plane;
    await client.create(Namespaces, { metadata: { name: "new" } });
    expect((await eventually("the account is there", account)).metadata.name).toBe("default");
    const found = await eventually("the map is there", map);
    expect(found.data).toEqual({ "ca.crt": content() });
    expect(found.metadata.annotations).toEqual({
      "kubernetes.io/description":
        "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters.",
    });
    await eventually("the oldest has one", () =>
      client.get(ServiceAccounts, "kube-system", "default").catch(orUndefined),
    );
  });

  test("gets back what somebody deletes", async () => {
    const [oldAccount, oldMap] = [await account(), await map()];
    await plane.client.delete(ServiceAccounts, "new", "default");
    await plane.client.delete(ConfigMaps, "new", "kube-root-ca.crt");
    await eventually("another account is there", async () => {
      const found = await account();
      return found && found.metadata.uid !== oldAccount?.metadata.uid;
    });
    await eventually("another map is there", async () => {
      const found = await map();
      return found && found.metadata.uid !== oldMap?.metadata.uid;
    });
  });

  test("gets the certificate put right, and keeps what others wrote beside it", async () => {
    const body = {
      metadata: { labels: { mine: "yes" }, annotations: { "kubernetes.io/description": "in my words" } },
      data: { "ca.crt": "wrong", other: "text" },
    };
    await plane.client.patch(ConfigMaps, "new", "kube-root-ca.crt", { type: "merge", body });
    const found = await eventually("it is put right", async () => {
      const found = await map();
      return found?.data?.["ca.crt"] !== "wrong" && found;
    });
    expect(found.data).toEqual({ "ca.crt": content() });
    expect(found.metadata.labels).toEqual({ mine: "yes" });
  });

  test("leaves words of one's own in the description", async () => {
    const words = { metadata: { annotations: { "kubernetes.io/description": "mine" } } };
    await plane.client.patch(ConfigMaps, "new", "kube-root-ca.crt", { type: "merge", body: words });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect((await map())?.metadata.annotations).toEqual({ "kubernetes.io/description": "mine" });
    const none = { metadata: { annotations: { "kubernetes.io/description": null } } };
    await plane.client.patch(ConfigMaps, "new", "kube-root-ca.crt", { type: "merge", body: none });
    await eventually("it is put back", async () =>
      (await map())?.metadata.annotations?.["kubernetes.io/description"]?.startsWith("Contains a CA bundle"),
    );
  });
});
