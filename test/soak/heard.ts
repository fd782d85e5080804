/** What an informer of the official client makes of a kind: what it heard, and what it believes to be there. */
import {
  type Informer,
  KubeConfig,
  type KubernetesObject,
  makeInformer,
  type ObjectCache,
} from "@kubernetes/client-node";

export interface Listed {
  metadata?: { resourceVersion?: string };
  items: KubernetesObject[];
}

export class Heard {
  /** Of everything that was added or changed. */
  readonly revisions = new Set<string>();
  /** The uids of what has gone. */
  readonly gone = new Set<string>();
  /** An informer that reports one has stopped for good. */
  readonly errors: unknown[] = [];
  connects = 0;
  readonly #list: () => Promise<Listed>;
  readonly #informer: Informer<KubernetesObject> & ObjectCache<KubernetesObject>;

  constructor(kubeconfig: string, path: string, list: (config: KubeConfig) => () => Promise<Listed>) {
    const config = new KubeConfig();
    config.loadFromString(kubeconfig);
    this.#list = list(config);
    this.#informer = makeInformer(config, path, this.#list);
    const told = ({ metadata }: KubernetesObject) => this.revisions.add(metadata?.resourceVersion ?? "");
    this.#informer.on("add", told);
    this.#informer.on("update", told);
    this.#informer.on("delete", ({ metadata }) => this.gone.add(metadata?.uid ?? ""));
    this.#informer.on("error", (error) => this.errors.push(error));
    this.#informer.on("connect", () => {
      this.connects++;
    });
  }

  start(): Promise<void> {
    return this.#informer.start();
  }

  stop(): Promise<void> {
    return this.#informer.stop();
  }

  /** What it has wrong, beside what the server lists. */
  async mistakes(): Promise<string[]> {
    const { items } = await this.#list();
    const there = new Map(items.map((one) => [keyOf(one), one.metadata?.resourceVersion]));
    const believed = new Map(this.#informer.list().map((one) => [keyOf(one), one.metadata?.resourceVersion]));
    const keys = new Set([...there.keys(), ...believed.keys()]);
    return [...keys]
      .filter((key) => there.get(key) !== believed.get(key))
      .map((key) => `${key} is ${there.get(key) ?? "gone"}, and it believes ${believed.get(key) ?? "gone"}`);
  }
}

const keyOf = ({ metadata }: KubernetesObject) => `${metadata?.namespace}/${metadata?.name}`;
