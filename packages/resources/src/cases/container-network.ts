/** What the CRD of ContainerNetwork accepts and refuses, one case a constraint. */
import { type Case, type Fields, repeated } from "./case.ts";

export const fullNetworkSpec = { networkName: "ctf_net.1-a", ipv6: true, mode: "persistent" };

export const fullNetworkStatus = {
  observedGeneration: 1,
  state: "Running",
  message: "",
  id: "b1946ac92492d2347c6235b4d2611184",
  networkName: "ctf_net.1-a",
  driver: "bridge",
  ipv6: true,
  subnets: ["10.89.0.0/24", "fd00::/64"],
  gateways: ["10.89.0.1", "fd00::1"],
  containers: ["591785b794601e212b260e25925636fd"],
};

const specs: [string, Fields, Partial<Case>?][] = [
  ["nothing but defaults", {}, { wantStored: { spec: { ipv6: false, mode: "session" } } }],
  ["everything it can hold", fullNetworkSpec, { wantStored: { spec: fullNetworkSpec } }],
  ["a session with a name", { networkName: "n" }],
  ["an existing network without a name", { mode: "existing" }, { wantRefused: ["spec.networkName"] }],
  ["a persistent network without a name", { mode: "persistent" }, { wantRefused: ["spec.networkName"] }],
  [
    "null for the name of an existing one",
    { mode: "existing", networkName: null },
    { wantRefused: ["spec.networkName"] },
  ],
  ["an existing network", { mode: "existing", networkName: "podman" }],
  ["another mode", { mode: "cleanup", networkName: "n" }, { wantRefused: ["spec.mode"] }],
  ["an empty name", { networkName: "" }, { wantRefused: ["spec.networkName"] }],
  ["a name that looks like an option", { networkName: "-n" }, { wantRefused: ["spec.networkName"] }],
  ["a name with a slash", { networkName: "a/b" }, { wantRefused: ["spec.networkName"] }],
  ["a name followed by a line feed", { networkName: "a\n" }, { wantRefused: ["spec.networkName"] }],
  ["a name of 128 characters", { networkName: "n".repeat(128) }],
  ["a name of 129 characters", { networkName: "n".repeat(129) }, { wantRefused: ["spec.networkName"] }],
  ["text for ipv6", { ipv6: "yes" }, { wantRefused: ["spec.ipv6"] }],
  ["a field that does not exist", { persistent: true }, { wantRefused: ["spec.persistent"] }],
];

const existing = { mode: "existing", networkName: "n" };

const changes: [string, Fields, Fields, string[]?][] = [
  ["nothing changes", fullNetworkSpec, fullNetworkSpec],
  ["nothing changes where nothing is said", {}, {}],
  ["a default said aloud", {}, { mode: "session", ipv6: false }],
  ["another name", { networkName: "a" }, { networkName: "b" }, ["spec.networkName"]],
  ["a first name", {}, { networkName: "a" }, ["spec.networkName"]],
  ["the name goes", { networkName: "a" }, {}, ["spec.networkName"]],
  ["another mode", existing, { ...existing, mode: "persistent" }, ["spec.mode"]],
  ["the mode left out", existing, { networkName: "n" }, ["spec.mode"]],
  ["ipv6 from now on", {}, { ipv6: true }, ["spec.ipv6"]],
  ["no ipv6 any more", { ipv6: true }, {}, ["spec.ipv6"]],
];

const statuses: [string, Fields, string[]?][] = [
  ["everything it can hold", fullNetworkStatus],
  ["nothing", {}],
  ["waiting for a network", { state: "NotFound", message: "there is no network n" }],
  ["a network that somebody removed", { state: "Removed" }],
  ["another state", { state: "Ready" }, ["status.state"]],
  ["an empty state", { state: "" }, ["status.state"]],
  ["a message of 4096 characters", { message: "m".repeat(4096) }],
  ["a message of 4097 characters", { message: "m".repeat(4097) }, ["status.message"]],
  ["1024 containers", { containers: repeated(1024, (i) => `c${i}`) }],
  ["1025 containers", { containers: repeated(1025, (i) => `c${i}`) }, ["status.containers"]],
  ["17 subnets", { subnets: repeated(17, (i) => `10.0.${i}.0/24`) }, ["status.subnets"]],
  ["17 gateways", { gateways: repeated(17, (i) => `10.0.${i}.1`) }, ["status.gateways"]],
];

const kind = "ContainerNetwork";

export const containerNetworkCases: Case[] = [
  ...specs.map(([name, spec, want]): Case => ({ name, kind, write: { spec }, ...want })),
  { name: "no spec", kind, write: {}, wantRefused: ["spec"] },
  ...changes.map(
    ([name, before, spec, wantRefused = []]): Case => ({
      name: `a change: ${name}`,
      kind,
      before: { spec: before },
      write: { spec },
      wantRefused,
    }),
  ),
  ...statuses.map(
    ([name, status, wantRefused = []]): Case => ({
      name: `a status: ${name}`,
      kind,
      before: { spec: {} },
      write: { spec: {}, status },
      wantRefused,
    }),
  ),
];
