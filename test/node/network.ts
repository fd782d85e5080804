/** How a node is reached and what it reaches: one link to this host, on which the API server and the DNS answer. */
import { randomInt } from "node:crypto";
import { connect, createServer, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import type { Machine } from "./machine.ts";
import { commandPath, pluginDirectory } from "./missing.ts";
import { run } from "./run.ts";

/** The two ends of the link. */
export interface Link {
  readonly host: string;
  readonly node: string;
}

/** The same on every node: no pod is seen from outside its machine. */
export const podSubnet = "10.244.0.0/24";

/** Of 198.18.0.0/15, which is for tests alone (RFC 2544), four addresses that no interface here has. */
function freeLink(): Link {
  const taken = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? []);
  for (let attempt = 0; attempt < 100; attempt++) {
    const start = `198.${randomInt(18, 20)}.${randomInt(256)}.`;
    const last = randomInt(64) * 4;
    const link = { host: `${start}${last + 1}`, node: `${start}${last + 2}` };
    if (!taken.includes(link.host)) return link;
  }
  throw new Error("cannot find a free network for a node in 198.18.0.0/15");
}

export async function connectMachine(machine: Machine, signal?: AbortSignal): Promise<Link> {
  const ip = commandPath("ip");
  const { name } = machine;
  const link = freeLink();
  await run([ip, "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", `${machine.pid}`], signal);
  await run([ip, "address", "add", `${link.host}/30`, "dev", name], signal);
  await run([ip, "link", "set", name, "up"], signal);
  await machine.run([ip, "address", "add", `${link.node}/30`, "dev", "eth0"], signal);
  await machine.run([ip, "link", "set", "eth0", "up"], signal);
  await machine.run([ip, "route", "add", "default", "via", link.host], signal);
  return link;
}

/** The network plug-ins that a pod goes through. */
export function podNetwork(): string {
  if (pluginDirectory() === undefined) throw new Error("cannot run a node: install containernetworking-plugins");
  return JSON.stringify({
    cniVersion: "0.4.0",
    name: "pods",
    plugins: [
      {
        type: "bridge",
        bridge: "pods",
        isDefaultGateway: true,
        ipMasq: true,
        hairpinMode: true,
        ipam: { type: "host-local", ranges: [[{ subnet: podSubnet }]] },
      },
      { type: "portmap", capabilities: { portMappings: true } },
      { type: "bandwidth", capabilities: { bandwidth: true } },
    ],
  });
}

export interface Doorway extends AsyncDisposable {
  readonly port: number;
}

/** Lets whoever comes to `address` through to `port` of 127.0.0.1, where the API server listens alone. */
export function openDoorway(address: string, port: number): Promise<Doorway> {
  const open = new Set<Socket>();
  const server = createServer((from) => {
    const to = connect(port, "127.0.0.1");
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      open.add(one);
      one.on("error", () => {}).on("close", () => open.delete(one) && other.destroy());
      one.pipe(other);
    }
  });
  server.unref();
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, address, () => {
      resolve({
        port: (server.address() as { port: number }).port,
        async [Symbol.asyncDispose]() {
          const closed = new Promise((done) => server.close(done));
          for (const socket of open) socket.destroy();
          await closed;
        },
      });
    });
  });
}
