/** What the CRD of ContainerNetworkTunnelProxy accepts and refuses, one case a constraint: a long table, to be read by the line. */
import { type Body, type Case, type Fields, repeated } from "./case.ts";

const baseImage = "mcr.microsoft.com/azurelinux/base/core:3.0";

export const fullTunnelProxySpec = {
  containerNetworkName: "challenge-1.net",
  tunnels: [
    {
      name: "db-1",
      serverAddress: "::1",
      serverPort: 5432,
      clientProxyAddress: "10.89.0.2",
      clientProxyPort: 15432,
      limits: { maxStreams: 10, bytesPerSecond: 1024, idleSeconds: 1 },
    },
    {
      name: "bot",
      serverAddress: "bot.example.com",
      serverPort: 1,
      clientProxyAddress: "0.0.0.0",
      clientProxyPort: 0,
      limits: { maxStreams: 1024 },
    },
  ],
  baseImage: "registry.example.com:5000/Base/core:3.0@sha256:00",
};

const at = "2026-10-01T20:00:00.123456Z";

export const fullTunnelProxyStatus = {
  observedGeneration: 2,
  state: "Running",
  message: "",
  tunnelStatuses: [
    {
      name: "db-1",
      tunnelId: 4_294_967_295,
      state: "Ready",
      timestamp: at,
      clientProxyAddresses: ["10.89.0.2", "fd00::2"],
      clientProxyPort: 15432,
    },
    { name: "bot", state: "Failed", errorMessage: "port 80 is in use", timestamp: at },
  ],
  tunnelConfigurationVersion: 3,
  clientProxyContainerId: "591785b794601e212b260e25925636fd",
  serverProxyProcessId: 4711,
  serverProxyStartupTimestamp: at,
  serverProxyStdOutFile: "/var/lib/berg/tunnels/a/out.log",
  serverProxyStdErrFile: "/var/lib/berg/tunnels/a/err.log",
  clientProxyControlPort: 36672,
  clientProxyDataPort: 36673,
  serverProxyControlPort: 36674,
};

const proxy = (spec: Fields = {}): Body => ({ spec: { containerNetworkName: "net", ...spec } });

const tunnels = (...given: Fields[]): Fields => ({ tunnels: given.map((each) => ({ serverPort: 80, ...each })) });

/** One tunnel, with these fields. */
const tunnel = (fields: Fields): Fields => tunnels({ name: "web", ...fields });

const filledIn = {
  name: "web",
  serverAddress: "localhost",
  serverPort: 80,
  clientProxyAddress: "0.0.0.0",
  clientProxyPort: 0,
  limits: { maxStreams: 1024 },
};

const longAddress = (i: number) => `${String(i).padStart(4, "0")}${"a".repeat(249)}`;
const longName = (i: number) => `${"a".repeat(59)}${String(i).padStart(4, "0")}`;

const specs: [string, Fields, Partial<Case>?][] = [
  ["the least that it needs", {}, { wantStored: { spec: { tunnels: [], baseImage } } }],
  ["everything it can hold", fullTunnelProxySpec, { wantStored: { spec: fullTunnelProxySpec } }],
  ["no network", { containerNetworkName: undefined }, { wantRefused: ["spec.containerNetworkName"] }],
  ["an empty network", { containerNetworkName: "" }, { wantRefused: ["spec.containerNetworkName"] }],
  ["a network in upper case", { containerNetworkName: "Net" }, { wantRefused: ["spec.containerNetworkName"] }],
  ["a network that is a path", { containerNetworkName: "../net" }, { wantRefused: ["spec.containerNetworkName"] }],
  ["a network of 253 characters", { containerNetworkName: "n".repeat(253) }],
  [
    "a network of 254 characters",
    { containerNetworkName: "n".repeat(254) },
    { wantRefused: ["spec.containerNetworkName"] },
  ],
  ["an empty image", { baseImage: "" }, { wantRefused: ["spec.baseImage"] }],
  ["an image that looks like an option", { baseImage: "--platform=x" }, { wantRefused: ["spec.baseImage"] }],
  ["an image with more of a Dockerfile", { baseImage: "base\nRUN evil" }, { wantRefused: ["spec.baseImage"] }],
  ["an image with a variable of a Dockerfile", { baseImage: "a$B" }, { wantRefused: ["spec.baseImage"] }],
  ["an image of 513 characters", { baseImage: "a".repeat(513) }, { wantRefused: ["spec.baseImage"] }],
  [
    "null for what may be left out",
    { tunnels: null, baseImage: null },
    { wantStored: { spec: { tunnels: [], baseImage } } },
  ],
  ["a field that does not exist", { aliases: [] }, { wantRefused: ["spec.aliases"] }],

  ["a tunnel left to its defaults", tunnel({}), { wantStored: { spec: { tunnels: [filledIn] } } }],
  [
    "limits left to their defaults",
    tunnel({ limits: { idleSeconds: 5 } }),
    { wantStored: { spec: { tunnels: [{ ...filledIn, limits: { maxStreams: 1024, idleSeconds: 5 } }] } } },
  ],
  ["no name", tunnels({}), { wantRefused: ["spec.tunnels[0].name"] }],
  ["an empty name", tunnels({ name: "" }), { wantRefused: ["spec.tunnels[0].name"] }],
  ["a name in upper case", tunnels({ name: "DB" }), { wantRefused: ["spec.tunnels[0].name"] }],
  ["a name with an underscore", tunnels({ name: "a_b" }), { wantRefused: ["spec.tunnels[0].name"] }],
  ["a name that begins with a digit", tunnels({ name: "1db" }), { wantRefused: ["spec.tunnels[0].name"] }],
  ["a name that ends with a dash", tunnels({ name: "db-" }), { wantRefused: ["spec.tunnels[0].name"] }],
  ["a name of 63 characters", tunnels({ name: "a".repeat(63) })],
  ["a name of 64 characters", tunnels({ name: "a".repeat(64) }), { wantRefused: ["spec.tunnels[0].name"] }],
  ["a name twice", tunnels({ name: "a" }, { name: "b" }, { name: "a" }), { wantRefused: ["spec.tunnels"] }],
  ["two names", tunnels({ name: "a" }, { name: "b" })],
  ["no server port", tunnel({ serverPort: undefined }), { wantRefused: ["spec.tunnels[0].serverPort"] }],
  ["server port 0", tunnel({ serverPort: 0 }), { wantRefused: ["spec.tunnels[0].serverPort"] }],
  ["server port 65535", tunnel({ serverPort: 65535 })],
  ["server port 65536", tunnel({ serverPort: 65536 }), { wantRefused: ["spec.tunnels[0].serverPort"] }],
  ["text for a server port", tunnel({ serverPort: "80" }), { wantRefused: ["spec.tunnels[0].serverPort"] }],
  ["an empty server address", tunnel({ serverAddress: "" }), { wantRefused: ["spec.tunnels[0].serverAddress"] }],
  [
    "a URL as a server address",
    tunnel({ serverAddress: "http://a" }),
    { wantRefused: ["spec.tunnels[0].serverAddress"] },
  ],
  ["an address with its zone", tunnel({ serverAddress: "fe80::1%eth0" })],
  [
    "a server address of 254 characters",
    tunnel({ serverAddress: "a".repeat(254) }),
    { wantRefused: ["spec.tunnels[0].serverAddress"] },
  ],
  [
    "an address with a space",
    tunnel({ clientProxyAddress: "a b" }),
    { wantRefused: ["spec.tunnels[0].clientProxyAddress"] },
  ],
  ["client port 65535", tunnel({ clientProxyPort: 65535 })],
  ["client port 65536", tunnel({ clientProxyPort: 65536 }), { wantRefused: ["spec.tunnels[0].clientProxyPort"] }],
  ["client port -1", tunnel({ clientProxyPort: -1 }), { wantRefused: ["spec.tunnels[0].clientProxyPort"] }],
  [
    "a client port twice",
    tunnels({ name: "a", clientProxyPort: 80 }, { name: "b", clientProxyPort: 80 }),
    { wantRefused: ["spec.tunnels"] },
  ],
  [
    "a client port twice, once at the default address said aloud",
    tunnels({ name: "a", clientProxyPort: 80 }, { name: "b", clientProxyPort: 80, clientProxyAddress: "0.0.0.0" }),
    { wantRefused: ["spec.tunnels"] },
  ],
  [
    "a client port at two addresses",
    tunnels(
      { name: "a", clientProxyPort: 80, clientProxyAddress: "10.0.0.2" },
      { name: "b", clientProxyPort: 80, clientProxyAddress: "10.0.0.3" },
    ),
  ],
  ["any client port twice", tunnels({ name: "a", clientProxyPort: 0 }, { name: "b" })],
  ["one server for two tunnels", tunnels({ name: "a", serverPort: 81 }, { name: "b", serverPort: 81 })],
  ["no streams", tunnel({ limits: { maxStreams: 0 } }), { wantRefused: ["spec.tunnels[0].limits.maxStreams"] }],
  [
    "less than 1024 bytes a second",
    tunnel({ limits: { bytesPerSecond: 1023 } }),
    { wantRefused: ["spec.tunnels[0].limits.bytesPerSecond"] },
  ],
  ["no idle time", tunnel({ limits: { idleSeconds: 0 } }), { wantRefused: ["spec.tunnels[0].limits.idleSeconds"] }],
  ["another limit", tunnel({ limits: { bandwidth: 1 } }), { wantRefused: ["spec.tunnels[0].limits.bandwidth"] }],
  // The dearest that a server has to judge: were a rule too dear for it, it would refuse.
  [
    "1024 tunnels with the longest names, each with a port of its own",
    tunnels(
      ...repeated(1024, (i) => ({ name: longName(i), clientProxyPort: 1 + i, clientProxyAddress: longAddress(i) })),
    ),
  ],
  ["1025 tunnels", tunnels(...repeated(1025, (i) => ({ name: `t${i}` }))), { wantRefused: ["spec.tunnels"] }],
];

const web = tunnel({});

const changes: [string, Fields, Fields, string[]?][] = [
  ["nothing changes", fullTunnelProxySpec, fullTunnelProxySpec],
  ["another network", {}, { containerNetworkName: "other" }, ["spec.containerNetworkName"]],
  ["another image", { baseImage: "a" }, { baseImage: "b" }, ["spec.baseImage"]],
  ["an image instead of the default", {}, { baseImage: "a" }, ["spec.baseImage"]],
  ["the image left out", { baseImage: "a" }, {}, ["spec.baseImage"]],
  ["the default image said aloud", {}, { baseImage }],
  ["a tunnel is added", {}, web],
  ["a tunnel is removed", web, {}],
  ["a tunnel leads elsewhere", web, tunnel({ serverPort: 81, clientProxyPort: 8081, serverAddress: "10.0.0.1" })],
  ["a tunnel is added under a name that is there", web, tunnels({ name: "web" }, { name: "web" }), ["spec.tunnels"]],
];

const oneTunnel = (fields: Fields): Fields => ({
  tunnelStatuses: [{ name: "web", state: "Ready", timestamp: at, ...fields }],
});

const statuses: [string, Fields, Partial<Case>?][] = [
  ["everything it can hold", fullTunnelProxyStatus, { wantStored: { status: fullTunnelProxyStatus } }],
  ["nothing", {}, { wantStored: { status: { state: "Pending" } } }],
  ["an empty state", { state: "" }, { wantStored: { status: { state: "" } } }],
  ["another state", { state: "Stopped" }, { wantRefused: ["status.state"] }],
  ["a message of 4097 characters", { message: "m".repeat(4097) }, { wantRefused: ["status.message"] }],
  [
    "a start without microseconds",
    { serverProxyStartupTimestamp: "2026-10-01T20:00:00Z" },
    { wantRefused: ["status.serverProxyStartupTimestamp"] },
  ],
  ["process 0", { serverProxyProcessId: 0 }, { wantRefused: ["status.serverProxyProcessId"] }],
  ["control port 0", { clientProxyControlPort: 0 }, { wantRefused: ["status.clientProxyControlPort"] }],
  ["data port 65536", { clientProxyDataPort: 65536 }, { wantRefused: ["status.clientProxyDataPort"] }],
  ["no socket but port 0", { serverProxyControlPort: 0 }, { wantRefused: ["status.serverProxyControlPort"] }],
  ["a version below zero", { tunnelConfigurationVersion: -1 }, { wantRefused: ["status.tunnelConfigurationVersion"] }],
  [
    "a version beyond 32 bits",
    { tunnelConfigurationVersion: 2 ** 31 },
    { wantRefused: ["status.tunnelConfigurationVersion"] },
  ],
  ["a tunnel in another state", oneTunnel({ state: "NotReady" }), { wantRefused: ["status.tunnelStatuses[0].state"] }],
  ["a tunnel without a state", oneTunnel({ state: undefined }), { wantRefused: ["status.tunnelStatuses[0].state"] }],
  ["a tunnel without a name", oneTunnel({ name: undefined }), { wantRefused: ["status.tunnelStatuses[0].name"] }],
  [
    "a tunnel without a time",
    oneTunnel({ timestamp: undefined }),
    { wantRefused: ["status.tunnelStatuses[0].timestamp"] },
  ],
  [
    "milliseconds",
    oneTunnel({ timestamp: "2026-10-01T20:00:00.123Z" }),
    { wantRefused: ["status.tunnelStatuses[0].timestamp"] },
  ],
  ["microseconds elsewhere", oneTunnel({ timestamp: "2026-10-01T20:00:00.123456+02:00" })],
  ["tunnel 0", oneTunnel({ tunnelId: 0 }), { wantRefused: ["status.tunnelStatuses[0].tunnelId"] }],
  ["a tunnel beyond 32 bits", oneTunnel({ tunnelId: 2 ** 32 }), { wantRefused: ["status.tunnelStatuses[0].tunnelId"] }],
  [
    "an error of 513 characters",
    oneTunnel({ errorMessage: "e".repeat(513) }),
    { wantRefused: ["status.tunnelStatuses[0].errorMessage"] },
  ],
  [
    "17 addresses of a tunnel",
    oneTunnel({ clientProxyAddresses: repeated(17, (i) => `10.0.0.${i}`) }),
    { wantRefused: ["status.tunnelStatuses[0].clientProxyAddresses"] },
  ],
  [
    "a tunnel at port 0",
    oneTunnel({ clientProxyPort: 0 }),
    { wantRefused: ["status.tunnelStatuses[0].clientProxyPort"] },
  ],
  [
    "1024 failed tunnels with the longest errors",
    {
      tunnelStatuses: repeated(1024, (i) => ({
        name: longName(i),
        tunnelId: 4_294_967_295,
        state: "Failed",
        errorMessage: "e".repeat(512),
        timestamp: at,
        clientProxyPort: 65535,
      })),
    },
  ],
  [
    "1025 tunnels",
    { tunnelStatuses: repeated(1025, (i) => ({ name: `t${i}`, state: "Ready", timestamp: at })) },
    { wantRefused: ["status.tunnelStatuses"] },
  ],
];

const kind = "ContainerNetworkTunnelProxy";

export const containerNetworkTunnelProxyCases: Case[] = [
  ...specs.map(([name, spec, want]): Case => ({ name, kind, write: proxy(spec), ...want })),
  { name: "no spec", kind, write: {}, wantRefused: ["spec"] },
  ...changes.map(
    ([name, before, spec, wantRefused = []]): Case => ({
      name: `a change: ${name}`,
      kind,
      before: proxy(before),
      write: proxy(spec),
      wantRefused,
    }),
  ),
  ...statuses.map(
    ([name, status, want]): Case => ({
      name: `a status: ${name}`,
      kind,
      before: proxy(),
      write: { ...proxy(), status },
      ...want,
    }),
  ),
];
