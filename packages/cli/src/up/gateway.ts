/** The gateway that challenges are reached through, and the objects by which it knows what to listen for. */
import { defineResource, isNotFound, type KubeObject } from "@berg/apimachinery";
import type { Client } from "@berg/kube";
import { certificateOption, controllerName, issuedHere } from "@berg/local-gateway";
import { gateway, type Listening } from "./local-settings.ts";

type WithSpec = KubeObject & { spec: object };

const GatewayClasses = kind("gatewayclasses", "GatewayClass", false);
const Gateways = kind("gateways", "Gateway", true);

export async function applyGateway(client: Client, listening: Listening, signal: AbortSignal): Promise<void> {
  const how = { fieldManager: "berg-up", force: true, signal };
  const { name, namespace, className } = gateway;
  await client.apply(GatewayClasses, { metadata: { name: className }, spec: { controllerName } }, how);
  await client.apply(Gateways, { metadata: { namespace, name }, spec: gatewaySpec(className, listening) }, how);
}

/** The ports of the last time; nothing where this is the first. */
export async function portsOfLastTime(client: Client, signal: AbortSignal): Promise<{ http?: number; tls?: number }> {
  try {
    const { spec } = await client.get(Gateways, gateway.namespace, gateway.name, { signal });
    const { listeners = [] } = spec as { listeners?: { name: string; port: number }[] };
    return Object.fromEntries(listeners.map(({ name, port }) => [name, port]));
  } catch (error) {
    // The kind itself may not be there yet.
    if (isNotFound(error)) return {};
    throw error;
  }
}

function gatewaySpec(gatewayClassName: string, { domain, httpPort, tlsPort }: Listening) {
  const hostname = `*.${domain}`;
  const allowedRoutes = { namespaces: { from: "All" } };
  return {
    gatewayClassName,
    listeners: [
      { name: "http", protocol: "HTTP", port: httpPort, hostname, allowedRoutes },
      {
        name: "tls",
        protocol: "TLS",
        port: tlsPort,
        hostname,
        allowedRoutes,
        tls: { mode: "Terminate", options: { [certificateOption]: issuedHere } },
      },
    ],
  };
}

function kind(resource: string, name: string, namespaced: boolean) {
  return defineResource<WithSpec>({
    group: "gateway.networking.k8s.io",
    version: "v1",
    resource,
    kind: name,
    namespaced,
  });
}
