/**
 * Gateways in this process: Gateways whose GatewayClass names us open ports here, and HTTPRoutes and TLSRoutes lead from
 * there to pods, whose addresses this machine must be able to reach.
 *
 * Two controllers. "routing" makes the table anew after every change, one at a time. "gateway-status" writes to each
 * object what became of it; a slow server holds up no traffic.
 */
import type { KubeObject } from "@berg/apimachinery";
import {
  type Client,
  type Clock,
  type Controller,
  createMetrics,
  type Logger,
  Manager,
  Namespaces,
  type OptionalInformer,
  type Random,
  Secrets,
  Services,
  systemClock,
  systemRandom,
  type Watch,
  watchMapped,
} from "@berg/kube";
import { EndpointSlices, type Gateway, type GatewayClass, gatewayGroup, type HttpRoute, type Route } from "../kinds.ts";
import type { CertificateFor } from "../proxy/certificate-contexts.ts";
import { endpointsFrom } from "../proxy/endpoints.ts";
import type { Limits } from "../proxy/limits.ts";
import { GatewayProxy } from "../proxy/proxy.ts";
import { type Routing, routingOf } from "../routing/routing.ts";
import type { RoutingState } from "../routing/state.ts";
import { type Running, runUntilStopped } from "../running.ts";
import { type KindName, StatusWriter, statusKey } from "./status-writer.ts";

export interface GatewayOptions {
  client: Client;
  log: Logger;
  /** Where ports are opened; 127.0.0.1 unless told otherwise. */
  host?: string;
  /** For listeners that end TLS and name no Secret. */
  certificateFor?: CertificateFor;
  limits?: Partial<Limits>;
  clock?: Clock;
  random?: Random;
}

/** Everything depends on everything: there is one table. */
const everything = "table";
/** A port may become free, and a kind be installed; nobody tells us. */
const lookAgainMs = 1_000;

/**
 *     await using gateway = await startGateway({ client, log, certificateFor: (hostname) => ca.issue(hostname) });
 */
export async function startGateway(options: GatewayOptions): Promise<Running> {
  const { client, log, host = "127.0.0.1", certificateFor, clock = systemClock, random = systemRandom } = options;
  const manager = new Manager({ component: "gateway", client, log, clock, metrics: await createMetrics() });
  const kinds = {
    classes: manager.optionalInformer<GatewayClass>({ group: gatewayGroup, kind: "GatewayClass", versions: ["v1"] }),
    gateways: manager.optionalInformer<Gateway>({ group: gatewayGroup, kind: "Gateway", versions: ["v1"] }),
    httpRoutes: manager.optionalInformer<HttpRoute>({ group: gatewayGroup, kind: "HTTPRoute", versions: ["v1"] }),
    tlsRoutes: manager.optionalInformer<Route>({
      group: gatewayGroup,
      kind: "TLSRoute",
      versions: ["v1", "v1alpha3", "v1alpha2"],
    }),
  };
  const services = manager.informer(Services);
  const namespaces = manager.informer(Namespaces);
  const secrets = manager.informer(Secrets, { selection: { fieldSelector: "type=kubernetes.io/tls" } });
  const endpointSlices = manager.informer(EndpointSlices);
  const endpointsOf = endpointsFrom(endpointSlices);
  const { limits } = options;
  const proxy = new GatewayProxy({ host, endpointsOf, certificateFor, limits, clock, random, log });

  let unavailablePorts: ReadonlyMap<number, string> = new Map();
  const judge = (unavailable: ReadonlyMap<number, string>): Routing => {
    const state: RoutingState = {
      classes: kinds.classes.list(),
      gateways: kinds.gateways.list(),
      httpRoutes: kinds.httpRoutes.list(),
      tlsRoutes: kinds.tlsRoutes.list(),
      service: (key) => services.get(key),
      secret: (key) => secrets.get(key),
      hasEndpoints: (port) => endpointsOf(port).length > 0,
      labelsOfNamespace: (name) => namespaces.get(name)?.metadata.labels,
      host,
      issuesCertificates: certificateFor !== undefined,
      unavailablePorts: unavailable,
    };
    return routingOf(state);
  };

  const writer = new StatusWriter({ client, clock, kinds });
  const statusController: Controller = manager.addController({
    name: "gateway-status",
    watches: (Object.keys(kinds) as KindName[]).map((name) =>
      watchMapped(asAny(kinds[name]), (object) => [statusKey(name, object)]),
    ),
    workers: 4,
    reconcile: (key, { signal }) => writer.write(key, signal),
  });
  manager.addController({
    name: "routing",
    watches: [
      ...[services, namespaces, secrets, endpointSlices].map((informer) =>
        watchMapped(asAny(informer), () => [everything]),
      ),
      ...Object.values(kinds).map((kind) => watchSpecs(asAny(kind))),
    ],
    workers: 1,
    async reconcile(_key, { signal }) {
      const found = await Promise.all(Object.values(kinds).map((kind) => kind.look(signal)));
      // As if every port could be had: what is in the way of one may have gone.
      const wanted = judge(new Map());
      const problems = await proxy.use(wanted.table);
      for (const [port, problem] of problems) {
        if (unavailablePorts.get(port) !== problem) log.warn({ port }, problem);
      }
      unavailablePorts = problems;
      const { statuses } = problems.size > 0 ? judge(problems) : wanted;
      for (const key of writer.want(statuses)) statusController.queue.add(key);
      return found.every(Boolean) && problems.size === 0 ? undefined : { requeueAfterMs: lookAgainMs };
    },
  });

  return runUntilStopped(manager, () => proxy.stop());
}

type AnySource = OptionalInformer<KubeObject>;

/** An informer's type stands in both directions, so no single type covers all; here they are only listened to. */
function asAny(source: unknown): AnySource {
  return source as AnySource;
}

/** Each status that we write comes back as a change, and changes nothing: with a thousand routes that would be a lot. */
function watchSpecs(source: AnySource): Watch {
  return {
    get informers() {
      return source.informer ? [source.informer] : [];
    },
    start: (enqueue) =>
      source.onChange((change) => {
        const { generation } = change.object.metadata;
        if (change.type !== "updated" || change.old.metadata.generation !== generation) enqueue(everything);
      }),
    all: () => [everything],
  };
}
