/** What the backendRefs of a rule lead to. */
import type { Service } from "@berg/kube";
import type { BackendRef } from "../kinds.ts";
import type { Verdict } from "../vocabulary.ts";
import { describeKind } from "./certificates.ts";
import type { RoutingState } from "./state.ts";
import type { Backend, Backends, ServicePort } from "./table.ts";

/** What a Service may say that its port speaks, and we do not. */
const unspoken = new Set(["kubernetes.io/h2c", "kubernetes.io/wss"]);

export function resolveBackends(
  refs: readonly BackendRef[] | undefined,
  namespace: string,
  state: RoutingState,
): { backends: Backends; problems: Verdict[] } {
  const problems: Verdict[] = [];
  const backends = (refs ?? []).map((ref): Backend => {
    const found = resolve(ref, namespace, state);
    const { weight = 1 } = ref;
    if ("service" in found) return { weight, service: found };
    problems.push(found);
    return { weight, service: undefined };
  });
  return { backends, problems };
}

function resolve(ref: BackendRef, own: string, state: RoutingState): ServicePort | Verdict {
  const { group = "", kind = "Service", namespace = own, name, port } = ref;
  if (group !== "" || kind !== "Service") {
    return { reason: "InvalidKind", message: `backends are Services, not ${describeKind({ group, kind })}` };
  }
  if (namespace !== own) {
    const message = `the Service ${namespace}/${name} is in another namespace, which is not supported`;
    return { reason: "RefNotPermitted", message };
  }
  const key = `${namespace}/${name}`;
  const service = state.service(key);
  if (!service) return { reason: "BackendNotFound", message: `there is no Service ${key}` };
  if (service.spec?.type === "ExternalName") {
    return { reason: "InvalidKind", message: `the Service ${key} is of type ExternalName, which is not supported` };
  }
  return portOf(service, key, port);
}

function portOf({ spec }: Service, key: string, port: number | undefined): ServicePort | Verdict {
  const withNumber = (spec?.ports ?? []).filter((each) => each.port === port);
  if (withNumber.length === 0) {
    const message = port === undefined ? `a port of the Service ${key} must be named` : noSuchPort(key, port);
    return { reason: "BackendNotFound", message };
  }
  const found = withNumber.find(({ protocol = "TCP" }) => protocol === "TCP");
  if (!found) return { reason: "UnsupportedProtocol", message: `port ${port} of the Service ${key} is not TCP` };
  if (found.appProtocol && unspoken.has(found.appProtocol)) {
    const message = `port ${port} of the Service ${key} speaks ${found.appProtocol}, which is not supported`;
    return { reason: "UnsupportedProtocol", message };
  }
  return { service: key, portName: found.name ?? "" };
}

function noSuchPort(key: string, port: number): string {
  return `the Service ${key} has no port ${port}`;
}
