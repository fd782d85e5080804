/** Requests about a part of an object, or something that is done with it: `pods/web/log`. */
import { isStatus } from "@berg/apimachinery";
import { methodNotAllowed, noSuchPath, refusal } from "../errors/refusals.ts";
import { plainFormOf } from "../output/form.ts";
import type { ServedResource } from "../registry/resource.ts";
import type { Place } from "../registry/verbs.ts";
import { objectMediaType, readObject } from "../requests/bodies.ts";
import type { ResourceRequest } from "../requests/request-info.ts";
import { readWriteOptions } from "../requests/write-options.ts";
import { type BodyKind, decodeBy, shapeOf } from "./endpoint-bodies.ts";
import type { Endpoint } from "./endpoints.ts";
import { answerPart, patch, update } from "./objects.ts";
import type { Admitted } from "./parts.ts";
import { runCommand, sendLog } from "./pod-streams.ts";
import { resourceKey } from "./resource-requests.ts";

export async function answerSubresource(admitted: Admitted, place: Place, info: ResourceRequest): Promise<void> {
  const { resource } = place;
  const { subresource, verb } = info;
  if (subresource === "status") {
    if (!resource.strategy.hasStatus) throw noSuchPath();
    return answerPart(admitted, place, verb, "status");
  }
  const offered = resource.subresources[subresource];
  if (!offered) throw noSuchPath();
  if (resourceKey(resource) === "pods" && subresource === "log") return sendLog(admitted, place);
  if (resourceKey(resource) === "pods" && subresource === "exec") return runCommand(admitted, place);
  const endpoint = admitted.parts.endpoints[endpointKey(resource, subresource)];
  if (!endpoint) throw notOffered(resource, subresource);
  const { exchange, caller } = admitted;
  if (verb === "get" && endpoint.get) {
    const object = await endpoint.get(place, caller);
    return exchange.sendValue(200, object, exchange.pretty(plainFormOf(exchange.headers.accept)));
  }
  if (verb === "update" && endpoint.update) {
    const write = endpoint.update;
    return update(admitted, place, (body, options) => write(place, body, options, caller));
  }
  if (verb === "patch" && endpoint.patch) {
    const write = endpoint.patch;
    return patch(admitted, place, (change, options) => write(place, change, options, caller));
  }
  if (verb === "create" && endpoint.create) return createAt(admitted, place, endpoint.create, offered);
  throw methodNotAllowed();
}

/** Of a subresource, or of a kind that keeps nothing. */
export async function createAt(
  admitted: Admitted,
  place: Place,
  create: NonNullable<Endpoint["create"]>,
  kind: BodyKind,
): Promise<void> {
  const { exchange, caller } = admitted;
  const contentType = exchange.headers["content-type"];
  objectMediaType(contentType);
  const bytes = await exchange.body();
  const options = readWriteOptions(exchange.address.query, "CreateOptions");
  const read = await readObject(contentType, bytes, kind.kind);
  const shape = shapeOf(kind, place.resource);
  const body = shape ? decodeBy(shape, kind, read, options, caller) : read;
  const answer = await create(place, body, options, caller);
  const form = exchange.pretty(plainFormOf(exchange.headers.accept));
  if (isStatus(answer)) return exchange.sendValue(answer.code ?? 201, answer, form);
  await exchange.sendValue(201, answer, form);
}

function endpointKey(resource: ServedResource, subresource: string): string {
  return subresource === "scale" ? "scale" : `${resourceKey(resource)}/${subresource}`;
}

function notOffered(resource: ServedResource, subresource: string) {
  const what = `${resourceKey(resource)}/${subresource}`;
  return refusal(501, "NotImplemented", `this server does not offer ${what}`, { kind: resource.resource });
}
