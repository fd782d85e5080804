import { expect, test } from "vitest";
import { containerPorts } from "./container-ports.ts";
import { containerOf } from "./testing/blueprints.ts";

const tcp = (containerPort: number, name?: string) => ({ containerPort, protocol: "TCP", ...(name && { name }) });

test.each([
  ["web", "web"],
  ["a2-b", "a2-b"],
  ["fifteen-letters", "fifteen-letters"],
  ["sixteen-letters-", undefined],
  ["sixteen-letterss", undefined],
  ["HTTP", undefined],
  ["8080", undefined],
  ["a--b", undefined],
  ["-a", undefined],
  ["a-", undefined],
  ["a_b", undefined],
  ["a\n", undefined],
  ["", undefined],
])("a port named %j is named %j", (name, want) => {
  expect(containerPorts(containerOf("web", [{ port: 80, name }]))).toEqual([tcp(80, want)]);
});

test("of two ports with one name the first has it", () => {
  const container = containerOf("web", [
    { port: 80, name: "web" },
    { port: 81, name: "web" },
  ]);
  expect(containerPorts(container)).toEqual([tcp(80, "web"), tcp(81)]);
});

test("one number is two ports for TCP and UDP, and one port for tcp and TCP", () => {
  const container = containerOf("web", [
    { port: 53, protocol: "UDP" },
    { port: 53, protocol: "tcp", name: "dns" },
    { port: 53, protocol: "TCP", name: "again" },
  ]);
  expect(containerPorts(container)).toEqual([{ containerPort: 53, protocol: "UDP" }, tcp(53, "dns")]);
});
