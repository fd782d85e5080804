import { describe, expect, test } from "vitest";
import type { Container, PodSpec } from "./shapes.ts";
import { makePod } from "./testing/pods.ts";
import { unsupportedOf, unsupportedVolume } from "./unsupported.ts";

describe("what this node does not give is refused in plain words", () => {
  const cases: { container?: Partial<Container>; spec?: Partial<PodSpec>; want: string }[] = [
    { spec: { shareProcessNamespace: true }, want: "shareProcessNamespace" },
    { container: { ports: [{ containerPort: 80, hostPort: 80 }] }, want: "use a Service of type NodePort" },
    { container: { readinessProbe: { grpc: { port: 1 } } }, want: "cannot probe by gRPC" },
  ];
  test.each(cases)("$want", ({ container, spec, want }) => {
    expect(unsupportedOf(makePod(container, spec))).toContain(want);
  });
  test("volumes of other kinds", () => {
    expect(unsupportedVolume({ name: "v", nfs: { server: "a", path: "/" } })).toContain("no volumes of kind nfs");
    expect(unsupportedVolume({ name: "v", emptyDir: {} })).toBeUndefined();
  });
  test("an ordinary pod is let through", () => {
    expect(unsupportedOf(makePod({ ports: [{ containerPort: 80 }] }))).toBeUndefined();
  });
});
