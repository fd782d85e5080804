/** In which form an answer goes out: what the client accepts, among what can be made of it. */
import type { StatusError } from "@berg/apimachinery";
import { isBuiltIn } from "../discovery/built-in-groups.ts";
import { notAcceptable, refusal } from "../errors/refusals.ts";
import type { ServedResource } from "../registry/resource.ts";
import { type MediaType, parseAccept } from "../requests/media-type.ts";

export interface Form {
  media: "application/json" | "application/yaml";
  as: "object" | "table" | "metadata";
  /** Of tables and metadata. */
  metaVersion: "meta.k8s.io/v1" | "meta.k8s.io/v1beta1";
  isPretty: boolean;
}

/** What is asked for: one object, many of them, or what happens to them. */
export type Shape = "object" | "list" | "watch";

export const plainJson: Form = {
  media: "application/json",
  as: "object",
  metaVersion: "meta.k8s.io/v1",
  isPretty: false,
};

const mediaTypes = ["application/json", "application/yaml"] as const;
const streamType = "application/json;stream=watch";
const metaVersions = { v1: "meta.k8s.io/v1", v1beta1: "meta.k8s.io/v1beta1" } as const;

/** Of answers about a resource. Only what has columns can be a table. */
export function formOf(accept: string | undefined, resource: ServedResource, shape: Shape): Form {
  if (!accept) return plainJson;
  if (isBuiltIn(resource) && !namesAType(accept)) throw noneOfThese(shape);
  const types = shape === "watch" ? (["application/json"] as const) : mediaTypes;
  for (const wanted of parseAccept(accept)) {
    const media = types.find((type) => matches(wanted.type, type));
    const form = media && transformed(wanted, media, resource, shape);
    if (form) return form;
  }
  throw notAcceptable(shape === "watch" ? [streamType] : mediaTypes);
}

/** Of refusals, and of what is no resource: never anything but plain. */
export function plainFormOf(accept: string | undefined): Form {
  for (const wanted of parseAccept(accept ?? "")) {
    const media = mediaTypes.find((type) => matches(wanted.type, type));
    if (media) return { ...plainJson, media, isPretty: isPretty(wanted) };
  }
  return plainJson;
}

/** Undefined where this cannot be had. */
function transformed(
  wanted: MediaType,
  media: Form["media"],
  resource: ServedResource,
  shape: Shape,
): Form | undefined {
  const { as: kind, g: group, v: version = "" } = wanted.parameters;
  const plain: Form = { ...plainJson, media, isPretty: isPretty(wanted) };
  if (kind === undefined) return plain;
  if (group !== "meta.k8s.io" || !Object.hasOwn(metaVersions, version) || resource.columns.length === 0)
    return undefined;
  const metaVersion = metaVersions[version as keyof typeof metaVersions];
  if (kind === "Table") return { ...plain, as: "table", metaVersion };
  const isOne = kind === "PartialObjectMetadata";
  if (!isOne && kind !== "PartialObjectMetadataList") return undefined;
  if (shape === "list" && isOne)
    throw wrongShape(`${kind}, but the requested object is a list`, `${goType(resource)}List`);
  if (shape === "object" && !isOne)
    throw wrongShape(`${kind}, but the requested object is not a list`, goType(resource));
  return { ...plain, as: "metadata", metaVersion };
}

function matches(wanted: string, offered: string): boolean {
  return wanted === offered || wanted === "*/*" || wanted === "*" || wanted === "application/*";
}

/** The first look at the header, which knows `any/any` but no other wildcards, and no parameters. */
function namesAType(accept: string): boolean {
  const offered = new Set<string>(["*/*", ...mediaTypes]);
  return accept.split(",").some((part) => offered.has(part.split(";")[0]?.trim() ?? ""));
}

function noneOfThese(shape: Shape): StatusError {
  const offered = shape === "object" ? mediaTypes : [...mediaTypes, streamType];
  const message = `406: Not Acceptable\n\nAvailable representations: ${offered.join(", ")}`;
  return refusal(406, "NotAcceptable", message, {});
}

function wrongShape(what: string, type: string): StatusError {
  return refusal(406, "NotAcceptable", `you requested ${what} (*${type})`);
}

/** As Go calls it: `core.ConfigMap`. */
function goType(resource: ServedResource): string {
  if (!isBuiltIn(resource)) return "unstructured.Unstructured";
  return `${resource.group.split(".")[0] || "core"}.${resource.kind}`;
}

function isPretty({ parameters: { pretty } }: MediaType): boolean {
  return pretty === "1" || pretty === "true";
}
