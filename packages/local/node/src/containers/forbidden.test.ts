import { describe, expect, test } from "vitest";
import { forbiddenOf } from "./forbidden.ts";
import type { Container, PodSpec } from "./shapes.ts";
import { makePod } from "./testing/pods.ts";

const allowed = ["NET_ADMIN", "SYS_PTRACE"];
const adding = (...add: string[]): Partial<Container> => ({ securityContext: { capabilities: { add } } });

describe("what would make a container a part of its host is refused", () => {
  const cases: { container?: Partial<Container>; spec?: Partial<PodSpec>; want: string }[] = [
    { spec: { hostNetwork: true }, want: "(hostNetwork)" },
    { spec: { hostPID: true }, want: "(hostPID)" },
    { spec: { hostIPC: true }, want: "(hostIPC)" },
    { spec: { resourceClaims: [{ name: "gpu" }] }, want: "(resourceClaims)" },
    { spec: { volumes: [{ name: "root", hostPath: { path: "/" } }] }, want: "(hostPath of volume root)" },
    { spec: { securityContext: { sysctls: [{ name: "kernel.msgmax", value: "1" }] } }, want: "sysctl kernel.msgmax" },
    { container: { securityContext: { privileged: true } }, want: "no container is privileged (container c)" },
    { container: { volumeDevices: [{ name: "d", devicePath: "/dev/x" }] }, want: "(volumeDevices of container c)" },
    { container: adding("NET_ADMIN", "DAC_READ_SEARCH"), want: "the capabilities DAC_READ_SEARCH (container c)" },
    { container: adding("ALL"), want: "berg up --allow-capabilities ALL allows them" },
    { container: adding("CAP_SYS_ADMIN", "bpf"), want: "the capabilities SYS_ADMIN, BPF" },
    {
      spec: { initContainers: [{ name: "i", image: "web:1", securityContext: { privileged: true } }] },
      want: "(container i)",
    },
  ];
  test.each(cases)("$want", ({ container, spec, want }) => {
    expect(forbiddenOf(makePod(container, spec), allowed)).toContain(want);
  });
});

test.each<{ name: string; container?: Partial<Container>; spec?: Partial<PodSpec>; capabilities?: string[] }>([
  { name: "an ordinary pod" },
  { name: "capabilities that are allowed, in any spelling", container: adding("NET_ADMIN", "CAP_SYS_PTRACE") },
  { name: "any capability where all are allowed", container: adding("ALL", "BPF"), capabilities: ["ALL"] },
  { name: "privileged that is false", container: { securityContext: { privileged: false } } },
  { name: "a safe sysctl", spec: { securityContext: { sysctls: [{ name: "net.ipv4.tcp_rmem", value: "1 2 3" }] } } },
])("$name may run", ({ container, spec, capabilities = allowed }) => {
  expect(forbiddenOf(makePod(container, spec), capabilities)).toBeUndefined();
});
