/**
 * The cluster's DNS for a test node: `<service>.<namespace>.svc.cluster.local` as the API server knows it at that
 * moment, and nothing else. It stands for CoreDNS, whose answers for these names are the same.
 */
import { createSocket } from "node:dgram";
import { defineResource, isNotFound, type KubeObject } from "@berg/apimachinery";
import { type Client, Services } from "@berg/kube";
import { type Addresses, answer, readQuestion } from "./message.ts";

interface EndpointSlice extends KubeObject {
  endpoints?: { addresses: string[]; conditions?: { ready?: boolean } }[];
}
const EndpointSlices = defineResource<EndpointSlice>({
  group: "discovery.k8s.io",
  version: "v1",
  resource: "endpointslices",
  kind: "EndpointSlice",
  namespaced: true,
});

const zone = /^(?<service>[^.]+)\.(?<namespace>[^.]+)\.svc\.cluster\.local$/;

export async function startDns(address: string, client: Client): Promise<AsyncDisposable> {
  const socket = createSocket("udp4");
  socket.on("message", async (message, from) => {
    const question = readQuestion(message);
    if (!question) return;
    try {
      socket.send(answer(question, await addressesOf(question.name, client)), from.port, from.address);
    } catch {
      // Unanswered, as by a DNS that lost its API server: the pod asks again.
    }
  });
  socket.unref();
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.bind(53, address, resolve);
  });
  return { [Symbol.asyncDispose]: () => new Promise((closed) => socket.close(closed)) };
}

/** A Service's own address, or those of its ready pods where it is headless. */
async function addressesOf(name: string, client: Client): Promise<Addresses> {
  const { service, namespace } = zone.exec(name)?.groups ?? {};
  if (service === undefined || namespace === undefined) return undefined;
  try {
    const { spec } = await client.get(Services, namespace, service);
    if (spec?.clusterIP !== "None") return spec?.clusterIP ? [spec.clusterIP] : [];
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
  const labelSelector = `kubernetes.io/service-name=${service}`;
  const { items } = await client.list(EndpointSlices, { namespace, labelSelector });
  return items
    .flatMap(({ endpoints = [] }) => endpoints)
    .filter(({ conditions }) => conditions?.ready !== false)
    .flatMap(({ addresses }) => addresses);
}
