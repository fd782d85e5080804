import { describe, expect, test } from "vitest";
import { namespaceChild, needsPrivileged } from "./namespace.ts";
import { asYaml, blueprintOf, containerOf } from "./testing/blueprints.ts";

const withCapabilities = (...additionalCapabilities: string[]) => [
  containerOf("web"),
  containerOf("vpn", [], { additionalCapabilities }),
];

describe("the namespace of an instance", () => {
  test("carries the marks, and lets in only what Pod Security calls baseline", async () => {
    await expect(asYaml([namespaceChild(blueprintOf())])).toMatchFileSnapshot("snapshots/namespace.yaml");
  });

  test("is privileged where a container asks for a capability that needs it", async () => {
    const blueprint = blueprintOf({ containers: withCapabilities("NET_ADMIN"), challengeName: "v".repeat(64) });
    await expect(asYaml([namespaceChild(blueprint)])).toMatchFileSnapshot("snapshots/namespace-privileged.yaml");
  });
});

test.for([
  { capabilities: [], privileged: false },
  { capabilities: ["NET_BIND_SERVICE", "SETUID", "DAC_OVERRIDE"], privileged: false },
  { capabilities: ["SETUID", "SYS_PTRACE"], privileged: true },
  { capabilities: ["ALL"], privileged: true },
  // The prefix makes it another name to Kubernetes.
  { capabilities: ["CAP_CHOWN"], privileged: true },
])("capabilities $capabilities need privileged: $privileged", ({ capabilities, privileged }) => {
  expect(needsPrivileged({ containers: withCapabilities(...capabilities) })).toBe(privileged);
});
