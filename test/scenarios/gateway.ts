/**
 * Stands in for a gateway controller where none runs: it accepts every route, as a healthy gateway does, and opens no
 * port. A test may have it say something else about the routes of one namespace.
 *
 *     world.gateway.answer(namespaceOf(instance), { Accepted: { status: "False", message: "no listener fits" } });
 *     world.gateway.answer(namespaceOf(instance), "nothing");
 */
import { setTimeout as delay } from "node:timers/promises";
import { defineResource, isConflict, isNotFound, type KubeObject, type Stored } from "@berg/apimachinery";
import { type Client, Informer, systemClock, timestamp } from "@berg/kube";

type Route = KubeObject & { spec: { parentRefs: object[] }; status?: { parents: object[] } };

/** Changes to the conditions of an accepted route, by type; `"nothing"`: the gateway does not write any status. */
export type GatewayAnswer = Record<string, { status: string; reason?: string; message?: string }> | "nothing";

const routeTypes = [
  ["httproutes", "HTTPRoute", "v1"],
  ["tlsroutes", "TLSRoute", "v1"],
  ["tlsroutes", "TLSRoute", "v1alpha2"],
].map(([resource = "", kind = "", version = ""]) =>
  defineResource<Route>({ group: "gateway.networking.k8s.io", version, resource, kind, namespaced: true }),
);
const controllerName = "example.com/gateway";
const pollMs = 200;

export class TestGateway implements AsyncDisposable {
  readonly #client: Client;
  readonly #stopping = new AbortController();
  readonly #informers: Informer<Route>[] = [];
  readonly #answers = new Map<string, GatewayAnswer>();
  readonly #running: Promise<void>[];

  constructor(client: Client) {
    this.#client = client;
    this.#running = routeTypes.map((type) => this.#follow(type));
  }

  /** About the routes of this namespace, those that exist and those that will. */
  answer(namespace: string, answer: GatewayAnswer): void {
    this.#answers.set(namespace, answer);
    for (const informer of this.#informers) {
      for (const route of informer.list()) {
        if (route.metadata.namespace === namespace) void this.#write(informer.type, route);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#running);
  }

  /** The kind may be installed later, or never. */
  async #follow(type: (typeof routeTypes)[number]): Promise<void> {
    const { signal } = this.#stopping;
    const isServed = () => this.#client.list(type, { limit: 1, signal }).then(Boolean, () => false);
    while (!signal.aborted && !(await isServed())) await delay(pollMs, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    const informer = new Informer({ client: this.#client, type });
    informer.onChange(({ type: change, object }) => {
      if (change !== "deleted") void this.#write(type, object);
    });
    this.#informers.push(informer);
    await informer.run(signal);
  }

  async #write(type: (typeof routeTypes)[number], route: Stored<Route>): Promise<void> {
    const { namespace = "", name, resourceVersion } = route.metadata;
    const parents = this.#parentsOf(route);
    if (JSON.stringify(withoutTimes(route.status?.parents)) === JSON.stringify(withoutTimes(parents))) return;
    const body = { metadata: { resourceVersion }, status: { parents } };
    const options = { subresource: "status", fieldManager: "test-gateway", signal: this.#stopping.signal };
    await this.#client.patch(type, namespace, name, { type: "merge", body }, options).catch((error) => {
      // A newer version of it is on its way to us, or the world ends.
      if (!isConflict(error) && !isNotFound(error) && !this.#stopping.signal.aborted) throw error;
    });
  }

  #parentsOf({ metadata, spec }: Stored<Route>): object[] {
    const answer = this.#answers.get(metadata.namespace ?? "") ?? {};
    if (answer === "nothing") return [];
    const types = new Set(["Accepted", "ResolvedRefs", ...Object.keys(answer)]);
    const conditions = [...types].map((type) => ({
      ...{ type, status: "True", reason: type, message: "", observedGeneration: metadata.generation },
      ...answer[type],
      lastTransitionTime: timestamp(systemClock),
    }));
    return spec.parentRefs.map((parentRef) => ({ parentRef, controllerName, conditions }));
  }
}

function withoutTimes(parents: readonly object[] = []): unknown {
  const entries = JSON.parse(JSON.stringify(parents)) as { conditions: Record<string, unknown>[] }[];
  return entries.map(({ conditions }) =>
    conditions.map(({ type, status, reason, message, observedGeneration }) => [
      ...[type, status, reason, message, observedGeneration],
    ]),
  );
}
