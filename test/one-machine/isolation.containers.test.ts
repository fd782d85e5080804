import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { type Client, Pods, Services } from "@berg/kube";
import { Challenges } from "@berg/resources";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type OutsideWorld, startOutsideWorld } from "../engine/outside-world.ts";
import type { Started } from "./machine.ts";
import { onOneMachine } from "./on-one-machine.ts";
import { reach } from "./reach.ts";

onOneMachine((given) => {
  let vault: Started;
  /** The notes, with outbound traffic allowed. */
  let notes: Started;
  let client: Client;
  let world: OutsideWorld;
  /** Stands for whatever else listens on the host. */
  let listener: Server;
  const undo = new AsyncDisposableStack();

  beforeAll(async () => {
    const { machine } = given;
    client = await machine.client();
    const { spec } = await client.get(Challenges, "berg", "notes");
    const open = { metadata: { namespace: "berg", name: "open" }, spec: { ...spec, allowOutboundTraffic: true } };
    await client.create(Challenges, open);
    [vault, notes] = await Promise.all([machine.startInstance("vault"), machine.startInstance("open")]);
    world = undo.use(await startOutsideWorld());
    await world.listen(80);
    listener = createServer((socket) => socket.on("error", () => {}).end("host\n")).listen(0, "0.0.0.0");
    await once(listener, "listening");
    undo.defer(() => void listener.close());
  });
  afterAll(() => undo.disposeAsync());

  const podAddress = async ({ instanceNamespace: namespace }: Started) =>
    (await client.list(Pods, { namespace })).items[0]?.status?.podIP ?? "";
  const service = async ({ instanceNamespace: namespace }: Started) => {
    const [found] = (await client.list(Services, { namespace })).items;
    return { name: found?.metadata.name ?? "", address: found?.spec?.clusterIP ?? "" };
  };
  const gatewayOf = (address: string) => address.replace(/\d+$/, "1");

  /** Every way to what is not the instance's own. */
  async function forbidden(own: Started, other: Started, otherPort: number) {
    const { port } = listener.address() as AddressInfo;
    const hosts = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
    const address = hosts.find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "";
    const { name, address: clusterIP } = await service(other);
    return {
      "the host by its bridge": { host: gatewayOf(await podAddress(own)), port },
      "the host by another bridge": { host: gatewayOf(await podAddress(other)), port },
      "the host by its own address": { host: address, port },
      "the host by its address towards the world": { host: world.hostAddress, port },
      "the host's gateway": { host: gatewayOf(await podAddress(own)), port: given.machine.httpPort },
      "another instance's pod": { host: await podAddress(other), port: otherPort },
      "another instance's Service": { host: clusterIP, port: otherPort },
      "another instance's name": { host: `${name}.${other.instanceNamespace}.svc.cluster.local`, port: otherPort },
    };
  }
  const allClosed = <K extends string>(places: Readonly<Record<K, unknown>>) =>
    Object.fromEntries(
      Object.keys(places).map((name) => [name, name === "another instance's name" ? "unknown" : "closed"]),
    );

  test("a challenge without outbound traffic reaches its own containers, and nothing else", async () => {
    const from = { namespace: vault.instanceNamespace, container: "desk" };
    const places = {
      ...(await forbidden(vault, notes, 8080)),
      "the world": { host: world.address, port: 80 },
    };
    expect(await reach(given.machine, from, places)).toEqual(allClosed(places));
    const own = {
      "by name": { host: "vault", port: 9000 },
      "by its whole name": { host: `vault.${vault.instanceNamespace}.svc.cluster.local`, port: 9000 },
    };
    expect(await reach(given.machine, from, own)).toEqual({ "by name": "open", "by its whole name": "open" });
  });

  test("one with outbound traffic reaches the world, and neither the host nor another instance", async () => {
    const from = { namespace: notes.instanceNamespace, container: "notes" };
    const places = await forbidden(notes, vault, 9000);
    expect(await reach(given.machine, from, places)).toEqual(allClosed(places));
    const outside = { "the world": { host: world.address, port: 80 } };
    expect(await reach(given.machine, from, outside)).toEqual({ "the world": "open" });
  });

  test("what is closed to containers is open to this machine", async () => {
    const { port } = listener.address() as AddressInfo;
    const places = { "127.0.0.1": port, [await podAddress(notes)]: 8080 };
    for (const [host, port] of Object.entries(places)) {
      const socket = connect(port, host);
      await once(socket, "connect");
      socket.destroy();
    }
  });
});
