/** One object or a list of them as the bytes of an answer. */
import { apiVersionOf } from "@berg/apimachinery";
import { stringify } from "yaml";
import { isBuiltIn } from "../discovery/built-in-groups.ts";
import type { AnyObject, ServedResource } from "../registry/resource.ts";
import type { ListAnswer } from "../registry/verbs.ts";
import { bodyOf, encode, headOf, metadataOf } from "./encoded.ts";
import type { Form } from "./form.ts";
import { type TableOptions, tableOf } from "./table.ts";

export type TableView = Pick<TableOptions, "includeObject" | "now">;

export function encodeObject(resource: ServedResource, object: AnyObject, form: Form, view: TableView): Buffer {
  if (form.as === "table") {
    const { resourceVersion } = object.metadata;
    const metadata = resourceVersion === undefined ? {} : { resourceVersion };
    return encodeValue(tableOf(resource, [object], metadata, { ...view, metaVersion: form.metaVersion }), form);
  }
  return finish(form.as === "metadata" ? encodeMetadata(object, form) : encode(object), form);
}

/** `{"kind":"PartialObjectMetadata",…}` */
export function encodeMetadata(object: AnyObject, { metaVersion }: Form): Buffer {
  return Buffer.concat([partialHead[metaVersion], metadataOf(object), closing]);
}

export function encodeList(resource: ServedResource, answer: ListAnswer, form: Form, view: TableView): Buffer {
  if (form.as === "table")
    return encodeValue(
      tableOf(resource, answer.items, answer.metadata, { ...view, metaVersion: form.metaVersion }),
      form,
    );
  const pieces = form.as === "metadata" ? metadataPieces(answer, form) : objectPieces(resource, answer);
  return finish(Buffer.concat(pieces), form);
}

/** Anything else that is answered: discovery, a Status, the version. */
export function encodeValue(value: unknown, form: Form): Buffer {
  if (form.media === "application/yaml") return Buffer.from(toYaml(value));
  return Buffer.from(`${JSON.stringify(value, null, form.isPretty ? 2 : undefined)}\n`);
}

/** Built-in kinds do not say again in each item of a list what they are; custom ones do. */
function objectPieces(resource: ServedResource, { metadata, items }: ListAnswer): Buffer[] {
  const apiVersion = apiVersionOf(resource);
  const isOwn = !isBuiltIn(resource);
  const head = isOwn ? headOf(resource.kind, apiVersion) : opening;
  const listMetadata = isOwn ? { continue: "", ...metadata } : metadata;
  const pieces = [headOf(listKindOf(resource), apiVersion), listStart(listMetadata)];
  items.forEach((item, index) => {
    if (index > 0) pieces.push(comma);
    pieces.push(head, bodyOf(item));
  });
  pieces.push(listEnd);
  return pieces;
}

function metadataPieces({ metadata, items }: ListAnswer, { metaVersion }: Form): Buffer[] {
  const head = headOf("PartialObjectMetadataList", metaVersion);
  // As Go writes a list that nothing was ever put into.
  if (items.length === 0) return [head, Buffer.from(`"metadata":${JSON.stringify(metadata)},"items":null}`)];
  const pieces = [head, listStart(metadata)];
  items.forEach((item, index) => {
    if (index > 0) pieces.push(comma);
    pieces.push(partialHead[metaVersion], metadataOf(item), closing);
  });
  pieces.push(listEnd);
  return pieces;
}

function listKindOf({ kind }: ServedResource): string {
  return `${kind}List`;
}

const opening = Buffer.from("{");
const closing = Buffer.from("}");
const comma = Buffer.from(",");
const listEnd = Buffer.from("]}");
const newline = Buffer.from("\n");
const partialHead: Record<Form["metaVersion"], Buffer> = {
  "meta.k8s.io/v1": partial("meta.k8s.io/v1"),
  "meta.k8s.io/v1beta1": partial("meta.k8s.io/v1beta1"),
};

function partial(metaVersion: Form["metaVersion"]): Buffer {
  return Buffer.concat([headOf("PartialObjectMetadata", metaVersion), Buffer.from('"metadata":')]);
}

function listStart(metadata: object): Buffer {
  return Buffer.from(`"metadata":${JSON.stringify(metadata)},"items":[`);
}

function finish(json: Buffer, form: Form): Buffer {
  const isPlain = form.media === "application/json" && !form.isPretty;
  return isPlain ? Buffer.concat([json, newline]) : encodeValue(JSON.parse(json.toString()), form);
}

// 1.1, in which `yes` is a boolean: what a client reads as text must then stand in quotes.
function toYaml(value: unknown): string {
  return stringify(value, { version: "1.1", sortMapEntries: true, aliasDuplicateObjects: false });
}
