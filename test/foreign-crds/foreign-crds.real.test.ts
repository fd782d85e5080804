import { readFile } from "node:fs/promises";
import { type Client, createClient, unlimited } from "@berg/kube";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { type ControlPlane, startControlPlane } from "../control-plane/control-plane.ts";
import { ciliumVerdicts } from "./cilium-check.ts";
import { missingForeignCrds, readForeignCrd } from "./crd-files.ts";
import { goModule } from "./go.ts";
import { installForeignCrds, servedOnlyAs } from "./install.ts";

const missing = (await missingControlPlane()) ?? (await missingForeignCrds());

describe.skipIf(missing)("the CRDs of others", () => {
  let controlPlane: ControlPlane;
  let client: Client;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ controllerManager: false, scheduler: false });
    client = createClient({ connection: controlPlane.connection, rate: unlimited });
  });

  afterAll(async () => {
    await client?.close();
    await controlPlane?.stop();
  });

  const served = async () => {
    const resources = await controlPlane.kubectl(["api-resources", "--no-headers", "--output=name", "--cached=false"]);
    return resources.split("\n").filter((name) => /\.(gateway\.networking\.k8s|cilium)\.io$/.test(name));
  };

  test("some come first, and the others later", async () => {
    await installForeignCrds(client, { which: ["httproutes"] });
    expect(await served()).toEqual(["httproutes.gateway.networking.k8s.io"]);

    await installForeignCrds(client, { which: ["tlsroutes"], tlsRouteVersion: "v1alpha2" });
    const routes = (version: string) =>
      controlPlane.kubectl(["get", "--raw", `/apis/gateway.networking.k8s.io/${version}/tlsroutes`]);
    expect(await routes("v1alpha2")).toContain('"kind":"TLSRouteList"');
    await expect(routes("v1")).rejects.toThrow("the server could not find the requested resource");

    await installForeignCrds(client);
    expect((await served()).sort()).toEqual([
      "ciliumnetworkpolicies.cilium.io",
      "gatewayclasses.gateway.networking.k8s.io",
      "gateways.gateway.networking.k8s.io",
      "httproutes.gateway.networking.k8s.io",
      "referencegrants.gateway.networking.k8s.io",
      "tlsroutes.gateway.networking.k8s.io",
    ]);
    expect(await routes("v1")).toContain('"kind":"TLSRouteList"');
  });

  test("are of the versions that go.mod pins", async () => {
    const goMod = await readFile(`${goModule}/go.mod`, "utf8");
    const { metadata } = await readForeignCrd("httproutes");
    const version = metadata.annotations?.["gateway.networking.k8s.io/bundle-version"];
    expect(goMod).toContain(`sigs.k8s.io/gateway-api ${version}\n`);
  });

  test("a version that never was is refused", async () => {
    const crd = await readForeignCrd("tlsroutes");
    expect(() => servedOnlyAs(crd, "v7")).toThrow("tlsroutes.gateway.networking.k8s.io never had a version v7");
  });
});

describe.skipIf(await missingForeignCrds())("Cilium's own check", () => {
  // The first verdict may have to wait until the check is built.
  beforeAll(() => ciliumVerdicts([]));

  const metadata = { name: "policy", namespace: "default" };
  const policy = (spec: object) => ({ apiVersion: "cilium.io/v2", kind: "CiliumNetworkPolicy", metadata, spec });

  test.each([
    {
      what: "two kinds of peers in one rule",
      spec: { egress: [{ toEntities: ["world"], toCIDRSet: [{ cidr: "::/0" }] }] },
      problem: /combining To(Entities|CIDRSet) and/,
    },
    {
      what: "an exception of the other family",
      spec: { egress: [{ toCIDRSet: [{ cidr: "::/0", except: ["10.0.0.0/8"] }] }] },
      problem: /::\/0 does not contain .* 10\.0\.0\.0\/8/,
    },
    {
      what: "an unknown field",
      spec: { egress: [{ toAll: true }] },
      problem: /unknown field "spec\.egress\[0\]\.toAll"/,
    },
    { what: "a field in the wrong case", spec: { Egress: [{}] }, problem: /unknown field "spec\.Egress"/ },
    { what: "an unknown entity", spec: { ingress: [{ fromEntities: ["internet"] }] }, problem: /unsupported entity/ },
    {
      what: "names to look up on the way in",
      spec: { ingress: [{ toPorts: [{ ports: ports(53), rules: { dns: [{ matchName: "a." }] } }] }] },
      problem: /DNS is not supported on ingress/,
    },
    {
      what: "more ports than fit",
      spec: { ingress: [{ toPorts: [{ ports: Array.from({ length: 41 }, (_, i) => ports(i + 1)).flat() }] }] },
      problem: /too many ports/,
    },
    { what: "nothing at all", spec: {}, problem: /at least one of Ingress/ },
  ])("refuses $what", async ({ spec, problem }) => {
    const [verdict] = await ciliumVerdicts([policy({ endpointSelector: {}, ...spec })]);
    expect(verdict?.problem).toMatch(problem);
  });

  test("answers each policy in turn, and tells what it understood", async () => {
    const right = policy({ endpointSelector: {}, ingress: [{ fromEndpoints: [{}] }] });
    const wrong = policy({ ingress: [{}] });
    const verdicts = await ciliumVerdicts([right, wrong, right]);
    expect(verdicts.map(({ problem }) => problem)).toEqual([
      undefined,
      expect.stringContaining("EndpointSelector"),
      undefined,
    ]);
    expect(verdicts[0]).toEqual(verdicts[2]);
    expect(JSON.stringify(verdicts[0]?.rules)).toContain('"k8s:io.kubernetes.pod.namespace":"default"');
  });

  function ports(port: number) {
    return [{ port: String(port), protocol: "TCP" }];
  }
});
