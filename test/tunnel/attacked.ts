/**
 * A machine with `berg up`, an instance with two pods, and two tunnels on its network to a server of the host. In one
 * pod is an attacker, in the other one somebody who only wants to use the tunnels.
 */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import type { Client } from "@berg/kube";
import { imageArchive } from "@berg/local-node";
import {
  ContainerNetworks,
  ContainerNetworkTunnelProxies,
  type ContainerNetworkTunnelProxyStatus,
} from "@berg/resources";
import { afterAll, beforeAll, vi } from "vitest";
import { nodeLayer } from "../../packages/cli/src/samples/node-layer.ts";
import { baseImage } from "../../packages/tunnel/src/image/testing/base-images.ts";
import { busyboxImage } from "../node/image/busybox.ts";
import type { Machine, Started } from "../one-machine/machine.ts";
import { type Given, onOneMachine } from "../one-machine/on-one-machine.ts";
import { Attacker, attackerImage } from "./attacker.ts";
import type { Outcome } from "./attacks/knock.ts";

type Status = ContainerNetworkTunnelProxyStatus;

const proxyBaseImage = "berg.test/tunnel-base:1";
const attacks = join(import.meta.dirname, "attacks");
export const patience = { timeout: 150_000, interval: 200 };

export const hello = Buffer.from("hello").toString("base64");
/** By the server at the end of the tunnels. */
export const answered: Outcome = { end: "ended", told: hello };
export const unreachable: Outcome = { end: "unreachable", told: "" };

export interface Attacked extends Given {
  client: Client;
  instance: Started;
  /** Of the pair on the instance's network. */
  status: Status;
  attacker: Attacker;
  player: Attacker;
  /** At the end of the tunnels: says back the first that it hears, and ends. */
  server: Server;
  callers: Set<Socket>;
  /** Whatever else listens on the host. */
  other: Server;
}

export function underAttack(define: (given: Attacked) => void): void {
  onOneMachine((machine) => {
    const undo = new AsyncDisposableStack();
    const given = machine as Attacked;
    beforeAll(() => prepare(given, undo), 300_000);
    afterAll(() => undo.disposeAsync(), 120_000);
    define(given);
  });
}

async function prepare(given: Attacked, undo: AsyncDisposableStack): Promise<void> {
  const { machine } = given;
  given.client = await machine.client();
  await loadImages(machine);
  await startServers(given, undo);
  given.instance = await machine.startInstance("vault");
  const serverPort = portOf(given.server);
  const tunnels = ["first", "second"].map((name) => ({ name, serverPort }));
  given.status = await startProxy(given.client, "attacked", given.instance.instanceNamespace, tunnels);
  const podOf = async (name: string) => {
    const labels = { "berg.local/namespace": given.instance.instanceNamespace, "berg.local/container": name };
    return `container:${(await machine.engine.listContainers(labels))[0]?.id}`;
  };
  given.attacker = undo.use(await Attacker.enter(machine, await podOf("desk")));
  given.player = undo.use(await Attacker.enter(machine, await podOf("vault")));
}

async function loadImages({ engine }: Machine): Promise<void> {
  await engine.loadImage(await baseImage(proxyBaseImage));
  const { layers, ...busybox } = busyboxImage({ name: attackerImage, command: ["sleep", "100000"] });
  const files: Record<string, { content: Buffer }> = {};
  for (const name of ["knock.ts", "scan.ts", "crowd.ts"])
    files[`/attacks/${name}`] = { content: await readFile(join(attacks, name)) };
  const env = ["PATH=/bin:/usr/bin", "NODE_NO_WARNINGS=1"];
  await engine.loadImage(imageArchive({ ...busybox, env, layers: [await nodeLayer(), ...layers, files] }));
}

async function startServers(given: Attacked, undo: AsyncDisposableStack): Promise<void> {
  const callers = new Set<Socket>();
  const server = createServer((socket) => {
    callers.add(socket);
    socket.on("close", () => callers.delete(socket)).on("error", () => {});
    socket.on("data", (bytes) => socket.end(bytes));
  }).listen(0, "127.0.0.1");
  const other = createServer((socket) => socket.on("error", () => {}).end("host")).listen(0, "0.0.0.0");
  await Promise.all([once(server, "listening"), once(other, "listening")]);
  undo.defer(() => {
    for (const socket of callers) socket.destroy();
    for (const each of [server, other]) each.close();
  });
  Object.assign(given, { server, callers, other });
}

/** A pair on this ContainerNetwork, once all its tunnels can be used. */
export async function startProxy(
  client: Client,
  name: string,
  containerNetworkName: string,
  tunnels: readonly { name: string; serverPort: number }[],
): Promise<Status> {
  await vi.waitFor(async () => {
    const { status } = await client.get(ContainerNetworks, "", containerNetworkName);
    if (status?.state !== "Running") throw new Error(`the network is ${JSON.stringify(status)}`);
  }, patience);
  const spec = { containerNetworkName, baseImage: proxyBaseImage, tunnels };
  await client.create(ContainerNetworkTunnelProxies, { metadata: { name }, spec } as never);
  return vi.waitFor(async () => {
    const { status } = await client.get(ContainerNetworkTunnelProxies, "", name);
    const areReady = tunnels.every((_, i) => status?.tunnelStatuses?.[i]?.state === "Ready");
    if (status?.state !== "Running" || !areReady) throw new Error(`the pair is ${JSON.stringify(status)}`);
    return status;
  }, patience);
}

export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** Where a tunnel is entered. */
export function entranceOf({ tunnelStatuses = [] }: Status, tunnel: string): { host: string; port: number } {
  const { clientProxyAddresses, clientProxyPort } = tunnelStatuses.find(({ name }) => name === tunnel) ?? {};
  return { host: clientProxyAddresses?.[0] ?? "", port: clientProxyPort ?? 0 };
}

/** What becomes of those who use a tunnel for what it is there for, so many at once. */
export async function sayHello(from: Attacker, status: Status, tunnel: string, times = 1): Promise<Outcome[]> {
  const call = { ...entranceOf(status, tunnel), say: hello, patienceMs: 40_000 };
  return from.knock(Array.from({ length: times }, () => call));
}

/** Of the client proxy and of the host, on the network that is theirs alone. */
export async function managementOf({ engine }: Machine, status: Status) {
  const addresses = (await engine.inspectContainer(status.clientProxyContainerId ?? ""))?.addresses ?? {};
  const [name = "", proxy = ""] =
    Object.entries(addresses).find(([network]) => network.startsWith("berg-tunnel-")) ?? [];
  const host = (await engine.inspectNetwork(name))?.gateway ?? "";
  return { proxy, host, control: status.clientProxyControlPort ?? 0, data: status.clientProxyDataPort ?? 0 };
}
