/** The Kubeconfig operator at work: on any two API servers, one for requests and one as their target. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isNotFound, type Stored } from "@berg/apimachinery";
import {
  type Client,
  type Clock,
  type Connection,
  createClient,
  Events,
  Informer,
  loadConnection,
  Namespaces,
  Secrets,
  silentLogger,
  systemClock,
  systemRandom,
  unlimited,
} from "@berg/kube";
import {
  type Cluster,
  Clusters,
  clusterResourceDefinitions,
  type KubeconfigRequest,
  type KubeconfigRequestSpec,
  KubeconfigRequests,
} from "@berg/resources";
import { FaultProxy } from "../../../../../test/faults/proxy.ts";
import { eventually } from "../../../../../test/runtime/eventually.ts";
import { CustomResourceDefinitions, untilServed } from "../../../../../test/scenarios/crds.ts";
import { type RunningPart, runInProcess } from "../../../../../test/scenarios/in-process.ts";
import { Shoots } from "../../gardener/kinds.ts";
import { publishedByUs } from "../../secrets/choices.ts";
import { WatchedSecrets } from "../../secrets/watched-secrets.ts";
import { type Target, type TargetAccess, TargetUnavailable } from "../../target/target.ts";
import { accessNamespace, annotations } from "../../vocabulary.ts";
import { addKubeconfigController } from "../kubeconfig-controller.ts";
import type { Request } from "../names.ts";
import { secretKey } from "../vocabulary.ts";

export interface PlaceOptions {
  /** Where requests are. */
  home: Connection;
  /** Where they give access to. */
  target: Connection;
  /** Where those of the Cluster `two` do. */
  second?: Connection;
}

export interface OperatorOptions {
  clock?: Clock;
  allowEscalating?: boolean;
  graceMs?: number;
}

export interface RunningOperator extends RunningPart {
  /** In front of the target; severed by `kill` as well. */
  readonly targetProxy: FaultProxy;
  readonly proxies: Readonly<Record<"home" | "target", FaultProxy>>;
  /** How often it has asked for an administrator's access. */
  readonly opened: number;
  /** How often it has said that what it was given is of no use any more. */
  readonly forgotten: number;
}

/** What became of the way to the target of the Cluster `one`: to be set by a test, and undone. */
export interface Door {
  /** Why it cannot be opened. */
  shut?: TargetUnavailable | undefined;
  /** It leads to the second target. */
  isTurned?: boolean;
  /** The target is at another address, as kubeconfigs are to have it. */
  address?: string;
  /** Both targets are behind the same certificate authority. */
  hasSameKeys?: boolean;
}

export class Place implements AsyncDisposable {
  readonly home: Client;
  readonly target: Client;
  readonly door: Door = {};
  /** Where requests and Clusters are. */
  readonly namespaceName: string;
  readonly #options: PlaceOptions;

  private constructor(options: PlaceOptions, namespaceName = "default") {
    this.#options = options;
    this.namespaceName = namespaceName;
    this.home = createClient({ connection: options.home, rate: unlimited });
    this.target = createClient({ connection: options.target, rate: unlimited });
  }

  static async open(options: PlaceOptions): Promise<Place> {
    const place = new Place(options);
    for (const definition of clusterResourceDefinitions()) {
      await place.home.create(CustomResourceDefinitions, definition);
      await untilServed(place.home, definition);
    }
    return place;
  }

  /** The same servers, another namespace: its operators see no other. */
  async in(namespace: string): Promise<Place> {
    await this.home.create(Namespaces, { metadata: { name: namespace } });
    return new Place(this.#options, namespace);
  }

  async start({ clock = systemClock, allowEscalating = false, graceMs = 30_000 }: OperatorOptions = {}) {
    const targetProxy = await FaultProxy.start(this.#options.target);
    const { second } = this.#options;
    const first = await openTarget(this.#options.target, targetProxy.connection, clock);
    const other = second && (await openTarget(second, second, clock));
    const { door } = this;
    let opened = 0;
    let forgotten = 0;
    const access: TargetAccess = {
      async open({ metadata }) {
        opened++;
        if (door.shut) throw door.shut;
        const target = other && (metadata.name === "two" || door.isTurned) ? other : first;
        const { server, certificateAuthority } = target;
        return {
          ...target,
          server: door.address ?? server,
          certificateAuthority: door.hasSameKeys ? first.certificateAuthority : certificateAuthority,
        };
      },
      forget() {
        forgotten++;
      },
      check: () => Promise.reject(new Error("nobody asks")),
    };
    const part = await runInProcess(
      "clusters",
      this.#options.home,
      { clock, only: this.namespaceName },
      (manager, metrics) => {
        // Nobody runs it: the garden is away.
        const shoots = new Informer({ type: Shoots, client: manager.client, isDispensable: true });
        const around = { clock, random: systemRandom, metrics };
        addKubeconfigController(manager, {
          ...around,
          garden: { client: manager.client, namespace: "garden-test", shoots },
          access,
          secrets: new WatchedSecrets({
            ...around,
            client: manager.client,
            choice: publishedByUs,
            log: silentLogger,
          }),
          settings: { rotationGraceMs: graceMs, allowEscalating },
        });
      },
    );
    const end = (how: () => Promise<void>) => async () => {
      await how();
      await first.client.close();
      await other?.client.close();
      await targetProxy.stop();
    };
    const kill = async () => {
      targetProxy.sever();
      await part.kill();
    };
    return {
      ...part,
      targetProxy,
      proxies: { home: part.proxy, target: targetProxy },
      get opened() {
        return opened;
      },
      get forgotten() {
        return forgotten;
      },
      stop: end(part.stop),
      kill: end(kill),
      [Symbol.asyncDispose]: end(part.stop),
    };
  }

  async cluster(name = "one", namespace = this.namespaceName): Promise<Stored<Cluster>> {
    const spec = {
      byoc: { kubeconfigSecretRef: { name, key: "kubeconfig" } },
      administrators: [],
      deletionPolicy: "Retain",
    };
    const made = await this.home.create(Clusters, { metadata: { name, namespace }, spec } as never);
    return this.provisioned(made);
  }

  provisioned(cluster: Stored<Cluster>): Promise<Stored<Cluster>> {
    const condition = {
      type: "ClusterProvisioned",
      status: "True" as const,
      reason: "ExternallyProvided",
      message: "",
    };
    const status = { conditions: [condition] };
    return this.home.update(Clusters, { ...cluster, status }, { subresource: "status" });
  }

  /** A change of the Cluster `one`: of a label unless told. */
  touchCluster(
    field: string,
    value: unknown,
    where: "labels" | "annotations" | "metadata" | "status" = "labels",
  ): Promise<Stored<Cluster>> {
    const part = { [field]: value };
    const body = {
      labels: { metadata: { labels: part } },
      annotations: { metadata: { annotations: part } },
      metadata: { metadata: part },
      status: { status: part },
    }[where];
    const options = where === "status" ? { subresource: "status" } : {};
    return this.home.patch(Clusters, this.namespaceName, "one", { type: "merge", body }, options);
  }

  async request(
    name: string,
    spec: Partial<KubeconfigRequestSpec> = {},
    metadata: { annotations?: Record<string, string> } = {},
  ): Promise<Request> {
    const usual = { cluster: "one", clusterRole: { rules: [podReader] } };
    return this.home.create(KubeconfigRequests, {
      metadata: { name, namespace: this.namespaceName, ...metadata },
      spec: { ...usual, ...spec } as KubeconfigRequestSpec,
    });
  }

  async get(name: string): Promise<Request | undefined> {
    try {
      return await this.home.get(KubeconfigRequests, this.namespaceName, name);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  annotate(name: string, what: "rotate" | "revoke", value: string | null): Promise<Stored<KubeconfigRequest>> {
    const body = { metadata: { annotations: { [annotations[what]]: value } } };
    return this.home.patch(KubeconfigRequests, this.namespaceName, name, { type: "merge", body });
  }

  change(name: string, spec: object): Promise<Stored<KubeconfigRequest>> {
    return this.home.patch(KubeconfigRequests, this.namespaceName, name, { type: "merge", body: { spec } });
  }

  /** The text that is published. */
  async published(name: string): Promise<string> {
    const { status } = (await this.get(name)) ?? {};
    const inSecret = async () => {
      const secret = await this.home.get(Secrets, this.namespaceName, status?.secretRef?.name ?? "");
      return secret.data?.[status?.secretRef?.key ?? secretKey] ?? "";
    };
    return Buffer.from(status?.kubeconfig ?? (await inSecret()), "base64").toString("utf8");
  }

  /** Every event about anything here. */
  async told(): Promise<object[]> {
    return (await this.home.list(Events, { namespace: this.namespaceName })).items;
  }

  async eventsOf(name: string): Promise<string[]> {
    const { items } = await this.home.list(Events, { namespace: this.namespaceName });
    return items.filter(({ involvedObject }) => involvedObject?.name === name).map(({ reason = "" }) => reason);
  }

  /** As if nothing had ever been made in the target. */
  async withoutAccessNamespace(): Promise<void> {
    await this.target.delete(Namespaces, "", accessNamespace);
    const isGone = () => this.target.get(Namespaces, "", accessNamespace).then(() => false, isNotFound);
    await eventually("the namespace is gone", isGone);
  }

  async namespace(name: string): Promise<void> {
    await this.target.create(Namespaces, { metadata: { name } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.home.close();
    await this.target.close();
  }
}

/** `through`: where the administrator's requests go. */
async function openTarget(connection: Connection, through: Connection, clock: Clock): Promise<Target> {
  const { ca = "" } = await connection.tls();
  return {
    client: createClient({ connection: through, rate: unlimited, clock }),
    server: connection.server,
    certificateAuthority: ca,
    connectWith: (token) =>
      createClient({ connection: { ...connection, authorization: async () => `Bearer ${token}` }, clock }),
  };
}

export const podReader = { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] };

/** Whoever has this kubeconfig. */
export async function clientOf(kubeconfig: string): Promise<Client> {
  const directory = await mkdtemp(join(tmpdir(), "berg-kubeconfig-"));
  try {
    const file = join(directory, "kubeconfig");
    await writeFile(file, kubeconfig, { mode: 0o600 });
    return createClient({
      connection: await loadConnection({ clock: systemClock, kubeconfig: file }),
      rate: unlimited,
    });
  } finally {
    await rm(directory, { recursive: true });
  }
}

export function hibernated(): TargetUnavailable {
  return new TargetUnavailable("Hibernated", "The cluster sleeps", false);
}
