/** What the API server says that rules and names follow from, always current. */
import type { Labels, Stored } from "@berg/apimachinery";
import {
  type Client,
  type Clock,
  errorText,
  Informer,
  type Logger,
  Namespaces,
  NetworkPolicies,
  OwnWrites,
  type Pod,
  Pods,
  Services,
} from "@berg/kube";
import { EndpointSlices } from "./kinds.ts";
import type { NetworkPod } from "./state.ts";

export interface KnownObjectsOptions {
  client: Client;
  clock: Clock;
  log: Logger;
  onChange(): void;
  /** A policy was made in it while we look. */
  onPolicy(namespace: string): void;
  onNamespaceGone(name: string): void;
}

export class KnownObjects {
  readonly services;
  readonly slices;
  readonly policies;
  readonly namespaces;
  readonly #pods;
  readonly #policyInformer;
  readonly #client: Client;
  readonly #log: Logger;
  #isSynced = false;

  constructor({ client, clock, log, onChange, onPolicy, onNamespaceGone }: KnownObjectsOptions) {
    const common = { client, clock, log };
    this.#client = client;
    this.#log = log;
    this.services = new Informer({ ...common, type: Services });
    this.slices = new Informer({ ...common, type: EndpointSlices });
    this.namespaces = new Informer({ ...common, type: Namespaces });
    this.#pods = new Informer({ ...common, type: Pods, transform: labelsAlone });
    this.#policyInformer = new Informer({ ...common, type: NetworkPolicies });
    this.policies = new OwnWrites(this.#policyInformer, clock);
    this.services.ensureIndex("namespace", ({ metadata }) => [metadata.namespace ?? ""]);
    this.slices.ensureIndex("namespace", ({ metadata }) => [metadata.namespace ?? ""]);
    this.#pods.ensureIndex("uid", ({ metadata }) => [metadata.uid]);
    for (const informer of [this.services, this.slices, this.#pods, this.#policyInformer]) informer.onChange(onChange);
    this.#policyInformer.onChange(({ type, object }) => {
      if (type === "added" && this.#isSynced) onPolicy(object.metadata.namespace ?? "");
    });
    this.namespaces.onChange(({ type, object }) => {
      if (type === "deleted") onNamespaceGone(object.metadata.name);
      onChange();
    });
  }

  /** Runs until aborted. */
  async run(signal: AbortSignal): Promise<void> {
    const runs = this.#informers().map((informer) => informer.run(signal));
    await Promise.all(
      runs.map((run) => run.catch((error) => this.#log.error({ error: errorText(error) }, "a cache broke"))),
    );
  }

  async synced(signal?: AbortSignal): Promise<void> {
    await Promise.all(this.#informers().map((informer) => informer.synced(signal)));
    this.#isSynced = true;
  }

  /**
   * The policies of a namespace as the server has them now. A pod's own watch may be ahead of that of the policies which
   * were made before it, and a pod must not run a moment without them.
   */
  async readPolicies(namespace: string, signal?: AbortSignal): Promise<void> {
    const { items } = await this.#client.listAll(NetworkPolicies, { namespace, signal });
    for (const policy of items) this.policies.wrote(policy);
  }

  namespaceLabels(): Map<string, Labels> {
    return new Map(this.namespaces.list().map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
  }

  /** With the labels that it has by now. */
  newest(pod: NetworkPod): NetworkPod {
    const [known] = this.#pods.byIndex("uid", pod.uid);
    return known ? { ...pod, labels: known.metadata.labels ?? {} } : pod;
  }

  inNamespace(namespace: string) {
    return {
      services: this.services.byIndex("namespace", namespace),
      slices: this.slices.byIndex("namespace", namespace),
    };
  }

  #informers() {
    return [this.services, this.slices, this.namespaces, this.#pods, this.#policyInformer];
  }
}

/** All that can change of a pod and matters here. */
function labelsAlone({ apiVersion, kind, metadata }: Stored<Pod>): Stored<Pod> {
  const { name, namespace = "", uid, resourceVersion, labels = {}, creationTimestamp } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion, labels, creationTimestamp } };
}
