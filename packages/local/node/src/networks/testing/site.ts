/** A place for tests of networks: Podman, the embedded control plane, and containers that stand for pods. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient, Namespaces, Pods, unlimited } from "@berg/kube";
import { startLocalControlPlane } from "@berg/local-control-plane";
import type { ContainerCreate, Engine } from "@berg/local-engine";
import { connectEngine } from "@berg/local-engine";
import { busyboxImage, startPodman } from "@berg/test";
import { imageArchive } from "../../images/archive.ts";
import type { Upstream } from "../dns/upstream.ts";
import type { Networks } from "../interface.ts";
import { startNetworks } from "../networks.ts";

const image = "berg.test/networks:1";
const label = "berg.test/networks";

export interface Site extends AsyncDisposable {
  readonly engine: Engine;
  readonly client: Client;
  readonly apiPort: number;
  readonly node: string;
  readonly pool: string;
  /** For files of a test. It goes with the site. */
  readonly directory: string;
  startNetworks(upstream?: Upstream): Promise<Networks>;
  namespace(name: string): Promise<void>;
  /** A container on the namespace's network that runs this in a shell. The networks know of it unless told. */
  pod(networks: Networks, namespace: string, name: string, options?: PodOptions): Promise<TestPod>;
  /** A container that is no pod, on the namespace's network and on another one, which is its first. Nobody knows of it. */
  guest(networks: Networks, namespace: string, first: string, script: string): Promise<TestGuest>;
  removePods(): Promise<void>;
}

export interface PodOptions {
  script?: string;
  labels?: Record<string, string>;
  isKnown?: boolean;
  host?: Partial<ContainerCreate["HostConfig"]>;
}

export interface TestPod extends TestContainer {
  readonly uid: string;
}

export interface TestGuest extends TestContainer {
  /** On its first network. */
  readonly management: string;
}

interface TestContainer {
  readonly id: string;
  readonly address: string;
  /** What a command in it says, and how it ends. */
  run(...command: string[]): Promise<{ output: string; code: number }>;
  /** Whether something answers at this place, and what. */
  call(host: string, port: number): Promise<string | undefined>;
  remove(): Promise<void>;
}

export async function startSite(): Promise<Site> {
  await using undo = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), "berg-networks-"));
  undo.defer(() => rm(directory, { recursive: true, force: true }));
  const podman = undo.use(await startPodman());
  const engine = connectEngine(podman.socket);
  await engine.loadImage(imageArchive(busyboxImage({ name: image, command: ["sleep", "1000"] })));
  const controlPlane = undo.use(await startLocalControlPlane({ dataDir: join(directory, "data"), host: "0.0.0.0" }));
  const { connection } = controlPlane.apiServer;
  const client = createClient({ connection, rate: unlimited });
  undo.defer(() => client.close());
  const node = `test-${process.pid}`;
  // Of a pool of its own: other tests on this machine may run at the same time.
  const pool = `10.${203 + (process.pid % 30)}.0.0/16`;
  const all = undo.move();

  return {
    engine,
    client,
    node,
    pool,
    directory,
    apiPort: Number(new URL(connection.server).port),
    startNetworks: (upstream) => startNetworks({ engine, client, node, pool, ...(upstream && { upstream }) }),
    async namespace(name) {
      await client.create(Namespaces, { metadata: { name } });
    },
    async pod(networks, namespace, name, { script = "sleep 1000", labels = {}, isKnown = true, host } = {}) {
      const { network, resolvConf } = await networks.attach(namespace);
      const file = join(directory, `${namespace}-${name}`);
      await writeFile(file, resolvConf);
      const { id } = await engine.createContainer(`${namespace}-${name}`, {
        Image: image,
        Cmd: ["sh", "-c", script],
        Labels: { [label]: "yes" },
        HostConfig: { NetworkMode: network, Binds: [`${file}:/etc/resolv.conf`], ...host },
      });
      await engine.startContainer(id);
      const address = (await engine.inspectContainer(id))?.addresses[network] ?? "";
      const containers = [{ name: "main", image, ports: [{ name: "web", containerPort: 8080 }] }];
      const pod = await client.create(Pods, { metadata: { namespace, name, labels }, spec: { containers } });
      if (isKnown) await networks.podStarted(pod, address);
      return { ...testContainer(engine, id, address), uid: pod.metadata.uid };
    },
    async guest(networks, namespace, first, script) {
      const { network } = await networks.attach(namespace);
      const { id } = await engine.createContainer(`${namespace}-guest`, {
        Image: image,
        Cmd: ["sh", "-c", script],
        Labels: { [label]: "yes" },
        HostConfig: { NetworkMode: first },
      });
      await engine.connectNetwork(network, id);
      await engine.startContainer(id);
      const { addresses = {} } = (await engine.inspectContainer(id)) ?? {};
      return { ...testContainer(engine, id, addresses[network] ?? ""), management: addresses[first] ?? "" };
    },
    async removePods() {
      for (const { id } of await engine.listContainers({ [label]: "yes" })) await engine.removeContainer(id);
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

function testContainer(engine: Engine, id: string, address: string): TestContainer {
  const run = async (...command: string[]) => {
    const session = await engine.exec(id, { command, stdin: false, stdout: true, stderr: true, tty: false });
    let output = "";
    for await (const { bytes } of session.output) output += Buffer.from(bytes).toString();
    return { output, code: await session.exitCode() };
  };
  return {
    id,
    address,
    run,
    async call(host, port) {
      const { output } = await run("sh", "-c", `timeout 3 nc -w 2 ${host} ${port} </dev/null 2>/dev/null`);
      return output.trim() || undefined;
    },
    remove: () => engine.removeContainer(id),
  };
}
