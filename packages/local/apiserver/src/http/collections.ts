/** Requests about all objects of a kind, or all in a namespace. */
import { methodNotAllowed } from "../errors/refusals.ts";
import { encodeList, encodeObject } from "../output/answers.ts";
import { formOf } from "../output/form.ts";
import { readIncludeObject } from "../output/table.ts";
import { frameEncoder } from "../output/watch-frames.ts";
import { streamWatch } from "../output/watch-stream.ts";
import type { ServedResource } from "../registry/resource.ts";
import { objectMediaType, readObject, readOptions } from "../requests/bodies.ts";
import { readDeleteOptions } from "../requests/delete-options.ts";
import { readListOptions, readWatchOptions } from "../requests/list-options.ts";
import type { ResourceRequest } from "../requests/request-info.ts";
import { readWriteOptions } from "../requests/write-options.ts";
import type { Admitted } from "./parts.ts";

/** `watched`: the one object that a watch of the old form is about. */
export async function answerCollection(
  admitted: Admitted,
  resource: ServedResource,
  namespace: string,
  { verb }: ResourceRequest,
  watched: string,
): Promise<void> {
  const isGet = admitted.exchange.method === "GET";
  if (verb === "" || !resource.verbs.includes(verb)) throw methodNotAllowed();
  if (verb === "list" && isGet) return list(admitted, resource, namespace);
  if (verb === "watch" && isGet) return watch(admitted, resource, namespace, watched);
  if (verb === "create") return create(admitted, resource, namespace);
  if (verb === "deletecollection") return deleteCollection(admitted, resource, namespace);
  throw methodNotAllowed();
}

async function list({ parts, exchange }: Admitted, resource: ServedResource, namespace: string): Promise<void> {
  const form = exchange.pretty(formOf(exchange.headers.accept, resource, "list"));
  const { query } = exchange.address;
  const answer = await parts.verbs.list(resource, namespace, readListOptions(query));
  const view = { includeObject: readIncludeObject(query), now: parts.clock.now() };
  await exchange.send(200, form.media, encodeList(resource, answer, form, view));
}

async function watch(
  { parts, exchange }: Admitted,
  resource: ServedResource,
  namespace: string,
  watched: string,
): Promise<void> {
  const form = formOf(exchange.headers.accept, resource, "watch");
  const { query } = exchange.address;
  const includeObject = readIncludeObject(query);
  const frames = await parts.verbs.watch(resource, namespace, readWatchOptions(query, watched), exchange.signal);
  const encode = frameEncoder(resource, form, () => ({ includeObject, now: parts.clock.now() }));
  const response = exchange.stream("application/json");
  await streamWatch(frames, encode, response);
  response.end();
}

async function create({ parts, exchange, caller }: Admitted, resource: ServedResource, namespace: string) {
  const form = exchange.pretty(formOf(exchange.headers.accept, resource, "object"));
  const contentType = exchange.headers["content-type"];
  objectMediaType(contentType);
  const bytes = await exchange.body();
  const options = readWriteOptions(exchange.address.query, "CreateOptions");
  const body = await readObject(contentType, bytes, resource.kind);
  const { object } = await parts.verbs.create(resource, namespace, body, options, caller);
  const view = { includeObject: readIncludeObject(exchange.address.query), now: parts.clock.now() };
  await exchange.send(201, form.media, encodeObject(resource, object, form, view));
}

async function deleteCollection({ parts, exchange, caller }: Admitted, resource: ServedResource, namespace: string) {
  const form = exchange.pretty(formOf(exchange.headers.accept, resource, "list"));
  const { query } = exchange.address;
  const listOptions = readListOptions(query);
  const bytes = await exchange.body();
  const options = readDeleteOptions(query, await readOptions(exchange.headers["content-type"], bytes));
  const answer = await parts.verbs.deleteCollection(resource, namespace, listOptions, options, caller);
  const view = { includeObject: readIncludeObject(query), now: parts.clock.now() };
  await exchange.send(200, form.media, encodeList(resource, answer, form, view));
}
