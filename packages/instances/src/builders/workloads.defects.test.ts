/** What went wrong in the other implementation of these builders, one test each. */
import type { ChallengeContainer } from "@berg/resources";
import { expect, test } from "vitest";
import type { BuildSettings } from "../settings/settings.ts";
import { deploymentFor } from "./deployment.ts";
import { disruptionBudgets } from "./disruption.ts";
import { endpointEnv } from "./endpoints.ts";
import { services } from "./services.ts";
import { blueprintOf, containerOf } from "./testing/blueprints.ts";
import { executable, flagged } from "./testing/workload-cases.ts";

function podOf(
  container: ChallengeContainer,
  others: ChallengeContainer[] = [],
  settings: Partial<BuildSettings> = {},
) {
  const blueprint = blueprintOf({ containers: [container, ...others], settings });
  const { template } = deploymentFor(blueprint, container, endpointEnv(blueprint)).manifest.spec ?? {};
  const [only] = template?.spec?.containers ?? [];
  return { annotations: template?.metadata?.annotations ?? {}, spec: template?.spec, container: only };
}

test("a public port of a later container stands in the environment of the first (Creating never ended)", () => {
  const later = [
    containerOf("pwn", [{ port: 1337, name: "pwn", type: "publicPort" }]),
    containerOf("web", [{ port: 80, name: "web", type: "publicHttpRoute" }]),
  ];
  const { container } = podOf(containerOf("bot"), later);
  expect(container?.env?.map(({ name }) => name)).toEqual(["PWN_ENDPOINT", "WEB_ENDPOINT", "CHALLENGE_NAMESPACE"]);
});

test("the endpoint of an internal port names a Service that is there", () => {
  const db = containerOf("db", [{ port: 5432, name: "postgres" }]);
  const { container } = podOf(containerOf("bot"), [db]);
  expect(container?.env).toContainEqual({ name: "POSTGRES_ENDPOINT", value: "db:5432" });
  const made = services(blueprintOf({ containers: [db] })).map(({ manifest }) => manifest.metadata.name);
  expect(made).toContain("db");
});

test("by default nobody can read the executable flag", () => {
  const { spec } = podOf(flagged("pwn", executable));
  expect(spec?.volumes).toEqual([
    {
      name: "executable",
      configMap: { name: "flag-executable", items: [{ key: "executable", path: "get-flag", mode: 0o111 }] },
    },
  ]);
  expect(spec?.securityContext).toEqual({ seccompProfile: { type: "RuntimeDefault" } });
});

test("an author who adds DAC_OVERRIDE gets it, with an executable flag too", () => {
  const capabilities = (additionalCapabilities: string[], dynamicFlag = executable) =>
    podOf(flagged("pwn", dynamicFlag, { additionalCapabilities })).container?.securityContext?.capabilities;
  expect(capabilities(["DAC_OVERRIDE"])).toEqual({ add: ["DAC_OVERRIDE"] });
  expect(capabilities(["KILL"])).toEqual({ add: ["KILL"], drop: ["DAC_OVERRIDE"] });
  expect(capabilities([])).toEqual({ drop: ["DAC_OVERRIDE"] });
  expect(capabilities([], { content: { path: "/flag" } })).toBeUndefined();
});

test("the organiser's bandwidth holds where the author sets none", () => {
  const bandwidth = (fields: Partial<ChallengeContainer>) => {
    const { annotations } = podOf(containerOf("web", [], fields), [], { bandwidth: { egress: "10M", ingress: "20M" } });
    return [annotations["kubernetes.io/egress-bandwidth"], annotations["kubernetes.io/ingress-bandwidth"]];
  };
  expect(bandwidth({})).toEqual(["10M", "20M"]);
  expect(bandwidth({ egressBandwidth: "", ingressBandwidth: "" })).toEqual(["10M", "20M"]);
  expect(bandwidth({ egressBandwidth: "1M" })).toEqual(["1M", "20M"]);
});

test("a limit of the author's drops no request, and reserves nothing", () => {
  const requests = (fields: Partial<ChallengeContainer>) =>
    podOf(containerOf("web", [], fields)).container?.resources?.requests;
  expect(requests({ resourceLimits: { cpu: "4" } })).toMatchObject({ cpu: "100m", memory: "128Mi" });
  expect(requests({ resourceLimits: { cpu: "4" }, resourceRequests: { cpu: "1" } })).toMatchObject({ cpu: "1" });
});

test("names of ports that only a Service could have do not get the Deployment refused", () => {
  const ports = [
    { port: 80, name: "a-name-of-more-than-15-characters" },
    { port: 81, name: "web" },
    { port: 82, name: "web" },
  ];
  const { container } = podOf(containerOf("web", ports));
  expect(container?.ports?.map(({ name }) => name)).toEqual([undefined, "web", undefined]);
});

test("nodes drain where the organiser allows disruption, and never wait for what is broken", () => {
  const evictable = (disruption: BuildSettings["disruption"]) =>
    podOf(containerOf("web"), [], { disruption }).annotations["cluster-autoscaler.kubernetes.io/safe-to-evict"];
  const budgets = (disruption: BuildSettings["disruption"]) =>
    disruptionBudgets(blueprintOf({ settings: { disruption } }));
  expect(evictable("allow")).toBe("true");
  expect(budgets("allow")).toEqual([]);
  expect(evictable("protect")).toBe("false");
  expect(budgets("protect")).toMatchObject([
    { manifest: { spec: { minAvailable: 1, unhealthyPodEvictionPolicy: "AlwaysAllow" } } },
  ]);
});
