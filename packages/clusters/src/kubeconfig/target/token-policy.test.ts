import { type Client, createClient, NotOurs, Secrets, systemClock, unlimited } from "@berg/kube";
import { type LocalControlPlane, startLocalControlPlane } from "@berg/local-control-plane";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { accessNamespace, labels } from "../../vocabulary.ts";
import { ensureAccessNamespace } from "./ensure.ts";
import { ValidatingAdmissionPolicies, ValidatingAdmissionPolicyBindings } from "./kinds.ts";
import { ensureTokenPolicy } from "./token-policy.ts";

const name = "berg-clusters-no-token-secrets";
const { signal } = new AbortController();

describe("the policy against tokens in Secrets", () => {
  let target: LocalControlPlane;
  let client: Client;

  beforeAll(async () => {
    target = await startLocalControlPlane({ dataDir: ":memory:", scheduler: false });
    client = createClient({ connection: target.apiServer.connection, rate: unlimited });
    await ensureAccessNamespace(client, signal);
  });
  afterAll(async () => {
    await client?.close();
    await target?.stop();
  });

  const ensure = () => ensureTokenPolicy(client, "web", { clock: systemClock, signal });
  const policy = () => client.get(ValidatingAdmissionPolicies, "", name);
  const write = (namespace: string, type: string) => {
    const metadata = { name: "any", namespace, annotations: { "kubernetes.io/service-account.name": "default" } };
    return client.create(Secrets, { metadata, type }, { dryRun: true }).then(() => "written", String);
  };

  test("is in force when it is ensured, and leaves administrators alone elsewhere", async () => {
    await ensure();
    expect(await write(accessNamespace, "kubernetes.io/service-account-token")).toContain(
      "cannot write Secrets of type",
    );
    expect(await write(accessNamespace, "Opaque")).toBe("written");
    expect(await write("default", "kubernetes.io/service-account-token")).toBe("written");
  });

  test("is not written again while it is as it should be", async () => {
    const { resourceVersion } = (await policy()).metadata;
    await ensure();
    expect((await policy()).metadata.resourceVersion).toBe(resourceVersion);
  });

  test("is restored, loosened or deleted", async () => {
    const { spec } = await policy();
    const excluded = { matchConstraints: { namespaceSelector: { matchLabels: { a: "b" } } }, failurePolicy: "Ignore" };
    await client.patch(ValidatingAdmissionPolicies, "", name, { type: "merge", body: { spec: excluded } });
    await client.delete(ValidatingAdmissionPolicyBindings, "", name);
    await ensure();
    expect((await policy()).spec).toEqual(spec);
    expect(await write(accessNamespace, "kubernetes.io/service-account-token")).toContain(
      "cannot write Secrets of type",
    );
  });

  test("of the same name and not ours stays as it is", async () => {
    const foreign = { metadata: { labels: { [labels.managedBy]: "somebody" } } };
    await client.patch(ValidatingAdmissionPolicies, "", name, { type: "merge", body: foreign });
    await expect(ensure()).rejects.toThrow(NotOurs);
  });
});
