/** Requests about one object, or about its status. */
import { isStatus } from "@berg/apimachinery";
import { methodNotAllowed } from "../errors/refusals.ts";
import { encodeObject } from "../output/answers.ts";
import { type Form, formOf } from "../output/form.ts";
import { readIncludeObject } from "../output/table.ts";
import type { AnyObject } from "../registry/resource.ts";
import type { Body, PatchBody, Place, WriteOptions, Written } from "../registry/verbs.ts";
import { readText } from "../requests/address.ts";
import { objectMediaType, patchType, readObject, readOptions, readPatch } from "../requests/bodies.ts";
import { readDeleteOptions } from "../requests/delete-options.ts";
import type { ResourceRequest } from "../requests/request-info.ts";
import { readPatchOptions, readWriteOptions } from "../requests/write-options.ts";
import type { Admitted } from "./parts.ts";

export async function answerObject(admitted: Admitted, place: Place, verb: ResourceRequest["verb"]): Promise<void> {
  if (verb === "" || !place.resource.verbs.includes(verb)) throw methodNotAllowed();
  if (verb === "delete") return remove(admitted, place);
  await answerPart(admitted, place, verb, "");
}

/** Of the object (`""`) or its `status`: what both offer. */
export async function answerPart(
  admitted: Admitted,
  place: Place,
  verb: ResourceRequest["verb"],
  part: "" | "status",
): Promise<void> {
  const { parts, caller, exchange } = admitted;
  if (verb === "get" && exchange.method === "GET") {
    const form = formFor(admitted, place);
    const resourceVersion = readText(exchange.address.query, "resourceVersion");
    const object = await parts.verbs.get(place, resourceVersion === undefined ? {} : { resourceVersion });
    return sendObject(admitted, place, 200, object, form);
  }
  if (verb === "update")
    return update(admitted, place, (body, options) => parts.verbs.update(place, part, body, options, caller));
  if (verb === "patch")
    return patch(admitted, place, (change, options) => parts.verbs.patch(place, part, change, options, caller));
  throw methodNotAllowed();
}

export async function update(
  admitted: Admitted,
  place: Place,
  write: (body: Body, options: WriteOptions) => Promise<Written>,
): Promise<void> {
  const { exchange } = admitted;
  const form = formFor(admitted, place);
  const contentType = exchange.headers["content-type"];
  objectMediaType(contentType);
  const bytes = await exchange.body();
  const options = readWriteOptions(exchange.address.query, "UpdateOptions");
  const { object, isNew } = await write(await readObject(contentType, bytes, place.resource.kind), options);
  await sendObject(admitted, place, isNew ? 201 : 200, object, form);
}

export async function patch(
  admitted: Admitted,
  place: Place,
  write: (patch: PatchBody, options: WriteOptions) => Promise<Written>,
): Promise<void> {
  const { exchange } = admitted;
  const type = patchType(exchange.headers["content-type"], place.resource);
  const form = formFor(admitted, place);
  const bytes = await exchange.body();
  const { force, ...options } = readPatchOptions(exchange.address.query, type === "apply");
  const { object, isNew } = await write(await readPatch(type, bytes, force), options);
  await sendObject(admitted, place, isNew ? 201 : 200, object, form);
}

async function remove(admitted: Admitted, place: Place): Promise<void> {
  const { parts, exchange, caller } = admitted;
  const form = formFor(admitted, place);
  const bytes = await exchange.body();
  const options = readDeleteOptions(exchange.address.query, await readOptions(exchange.headers["content-type"], bytes));
  const { answer, isGone } = await parts.verbs.delete(place, options, caller);
  if (isStatus(answer)) return exchange.sendStatus(answer, { ...form, as: "object" });
  await sendObject(admitted, place, options.asksForCascade && !isGone ? 202 : 200, answer, form);
}

export function formFor({ exchange }: Admitted, { resource }: Place): Form {
  return exchange.pretty(formOf(exchange.headers.accept, resource, "object"));
}

export function sendObject(
  admitted: Admitted,
  place: Place,
  code: number,
  object: AnyObject,
  form: Form,
): Promise<void> {
  const { parts, exchange } = admitted;
  const view = { includeObject: readIncludeObject(exchange.address.query), now: parts.clock.now() };
  return exchange.send(code, form.media, encodeObject(place.resource, object, form, view));
}
