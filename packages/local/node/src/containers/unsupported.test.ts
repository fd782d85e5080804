import { describe, expect, test } from "vitest";
import type { Container, PodSpec } from "./shapes.ts";
import { makePod } from "./testing/pods.ts";
import { unsupportedOf, unsupportedVolume } from "./unsupported.ts";

describe("what this node does not give is refused in plain words", () => {
  const cases: { container?: Partial<Container>; spec?: Partial<PodSpec>; want: string }[] = [
    { spec: { hostNetwork: true }, want: "hostNetwork" },
    { spec: { hostPID: true }, want: "hostPID" },
    { spec: { hostIPC: true }, want: "hostIPC" },
    { spec: { shareProcessNamespace: true }, want: "shareProcessNamespace" },
    { spec: { resourceClaims: [{ name: "gpu" }] }, want: "resourceClaims" },
    { container: { ports: [{ containerPort: 80, hostPort: 80 }] }, want: "use a Service of type NodePort" },
    { container: { volumeDevices: [{ name: "d", devicePath: "/dev/x" }] }, want: "volumeDevices" },
    { container: { readinessProbe: { grpc: { port: 1 } } }, want: "cannot probe by gRPC" },
  ];
  test.each(cases)("$want", ({ container, spec, want }) => {
    expect(unsupportedOf(makePod(container, spec))).toContain(want);
  });
  test("volumes of other kinds", () => {
    expect(unsupportedVolume({ name: "v", hostPath: { path: "/" } })).toContain("no volumes of kind hostPath");
    expect(unsupportedVolume({ name: "v", emptyDir: {} })).toBeUndefined();
  });
  test("an ordinary pod is let through", () => {
    expect(unsupportedOf(makePod({ ports: [{ containerPort: 80 }] }))).toBeUndefined();
  });
});
