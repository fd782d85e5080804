/** What is written on a KubeconfigRequest itself. */
import { jsonEqual, type Stored } from "@berg/apimachinery";
import { type Result, removeFinalizer } from "@berg/kube";
import { type KubeconfigRequest, type KubeconfigRequestStatus, KubeconfigRequests } from "@berg/resources";
import { annotations, finalizers } from "../vocabulary.ts";
import { tellChanges } from "./events.ts";
import type { Surroundings } from "./gather.ts";
import type { Request } from "./names.ts";
import { unpublish } from "./publish.ts";
import { isAsked } from "./seen.ts";
import { fieldManager } from "./vocabulary.ts";

/** With the version that was seen: what anybody else has written since is looked at first. */
export async function writeStatus(
  request: Request,
  status: KubeconfigRequestStatus,
  around: Surroundings,
  signal: AbortSignal,
): Promise<Stored<KubeconfigRequest>> {
  if (jsonEqual(request.status ?? {}, status)) return request;
  const options = { subresource: "status", fieldManager, signal };
  const written = await around.client.update(KubeconfigRequests, { ...request, status }, options);
  around.requests.wrote(written);
  tellChanges(around, request, status);
  return written;
}

/**
 * After the new one was published; `status.retiring` looks after those before it. With the version that was seen, and not
 * with a `test` of its value: where one fails the server calls the patch invalid, as if it were a mistake of ours.
 */
export async function endRotation(
  request: Request,
  { client, requests }: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  const { namespace = "", name, annotations: found, resourceVersion } = request.metadata;
  const path = (annotation: string) =>
    `/metadata/annotations/${annotation.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  const operations = [
    { op: "replace", path: "/metadata/resourceVersion", value: resourceVersion },
    ...(found ? [] : [{ op: "add", path: "/metadata/annotations", value: {} }]),
    ...(isAsked(request, annotations.rotate) ? [{ op: "remove", path: path(annotations.rotate) }] : []),
    { op: "add", path: path(annotations.rotated), value: request.status?.lastRotationRequest },
  ];
  requests.wrote(await client.patch(KubeconfigRequests, namespace, name, { type: "json", operations }, { signal }));
}

export async function letGo(
  request: Request,
  { client, requests, patience }: Surroundings,
  signal: AbortSignal,
): Promise<Result> {
  await unpublish(client, request, signal);
  await removeFinalizer(client, KubeconfigRequests, request, finalizers.kubeconfig, { signal });
  requests.gone(request.metadata.uid);
  patience.forget(request.metadata.uid);
  return {};
}
