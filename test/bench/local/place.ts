/** The shipped `berg up` on a Podman of its own, with one Challenge, and instances of it. */
import type { Stored } from "@berg/apimachinery";
import { type Client, Informer } from "@berg/kube";
import { type ChallengeInstance, ChallengeInstances } from "@berg/resources";
import { type Machine, startMachine } from "../../one-machine/machine.ts";
import { ChallengeBuilder, InstanceBuilder } from "../../scenarios/objects.ts";
import { image, port, webImage } from "./web-image.ts";

const namespace = "berg";
const challenge = { metadata: { namespace, name: "bench" } };
const patienceMs = 300_000;

export interface RunningInstance {
  readonly name: string;
  /** Where everything of it is. */
  readonly namespace: string;
  readonly hostname: string;
}

export class Place implements AsyncDisposable {
  readonly machine: Machine;
  readonly client: Client;
  /** Of `berg up`. */
  readonly pid: number;
  readonly #instances: Informer<ChallengeInstance>;
  readonly #parts: AsyncDisposableStack;

  constructor(
    given: Pick<Place, "machine" | "client" | "pid">,
    instances: Informer<ChallengeInstance>,
    parts: AsyncDisposableStack,
  ) {
    this.machine = given.machine;
    this.client = given.client;
    this.pid = given.pid;
    this.#instances = instances;
    this.#parts = parts;
  }

  /** Resolves with its name, when it is created. */
  async create(): Promise<string> {
    const { metadata } = await new InstanceBuilder(
      { client: this.client, namespace, behaviours: new Map() },
      challenge,
    ).create();
    return metadata.name;
  }

  /** Resolves as soon as its address is known, though nobody may answer there yet. */
  async addressOf(name: string): Promise<RunningInstance> {
    const { status } = await this.#until(name, ({ status }) => Boolean(status?.services?.length && status.namespace));
    return { name, namespace: status?.namespace ?? "", hostname: status?.services?.[0]?.hostname ?? "" };
  }

  async running(name: string): Promise<void> {
    await this.#until(name, ({ status }) => status?.phase === "Running");
  }

  /** Resolves when nothing of them is left. */
  async remove(...names: string[]): Promise<void> {
    await Promise.all(names.map((name) => this.client.delete(ChallengeInstances, namespace, name)));
    await Promise.all(names.map((name) => this.#until(name, () => false, "gone")));
  }

  #until(name: string, isSo: (instance: Stored<ChallengeInstance>) => boolean, or?: "gone") {
    return new Promise<Stored<ChallengeInstance>>((resolve, reject) => {
      const key = `${namespace}/${name}`;
      let seen = this.#instances.get(key);
      const look = () => {
        const now = this.#instances.get(key);
        const isGone = now === undefined && seen !== undefined;
        seen = now ?? seen;
        if (now ? isSo(now) : isGone && or === "gone") settle(() => resolve(seen as Stored<ChallengeInstance>));
        else if (now?.status?.phase === "Failed" || isGone)
          settle(() => reject(new Error(`${name} is ${now ? `Failed: ${now.status?.message}` : "gone"}`)));
      };
      const settle = (how: () => void) => {
        clearTimeout(late);
        undo();
        how();
      };
      const late = setTimeout(
        () => settle(() => reject(new Error(`${name} takes too long; it is ${JSON.stringify(seen?.status)}`))),
        patienceMs,
      );
      const undo = this.#instances.onChange(({ object }) => object.metadata.name === name && look());
      look();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }
}

export async function startPlace(): Promise<Place> {
  await using parts = new AsyncDisposableStack();
  const machine = parts.use(await startMachine());
  await machine.engine.loadImage(await webImage());
  const { child, ended, said } = await machine.up("--no-samples", "--runtime", "podman");
  if (child.exitCode !== null) throw new Error(`berg up ended: ${said()}`);
  parts.defer(async () => {
    child.kill("SIGINT");
    await ended;
  });
  const client = await machine.client();
  await new ChallengeBuilder({ client, namespace, behaviours: new Map() }, challenge.metadata.name)
    .container("web", {
      image,
      readinessProbe: { httpGet: { path: "/", port: "web" }, periodSeconds: 1 },
      // Two CPUs, so that it is not what is measured; and little to ask for, so that many fit.
      resourceLimits: { cpu: "2", memory: "256Mi" },
      resourceRequests: { cpu: "10m", memory: "16Mi" },
    })
    .port(port, "publicHttpRoute", { name: "web", appProtocol: "http" })
    .flag({ content: { path: "/srv/flag.txt" } })
    .create();
  const instances = new Informer({ client, type: ChallengeInstances });
  const stopping = new AbortController();
  const run = instances.run(stopping.signal);
  parts.defer(async () => {
    stopping.abort();
    await run;
  });
  await instances.synced();
  return new Place({ machine, client, pid: child.pid ?? 0 }, instances, parts.move());
}
