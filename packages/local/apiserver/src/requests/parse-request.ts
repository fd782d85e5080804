/**
 * What a request asks for, from its method and its address: `GET /apis/apps/v1/namespaces/ctf/deployments/web/scale`.
 * Authorization goes by this, so it must never see another request than the one that is answered.
 */
import { type FieldMatcher, parseFieldSelector } from "@berg/apimachinery";
import { type Address, readFlag } from "./address.ts";
import type { RequestInfo, ResourceRequest, Verb } from "./request-info.ts";

const verbs: Record<string, Verb> = {
  GET: "get",
  HEAD: "get",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

// `/api/v1/namespaces/ctf/status` is a part of the namespace, all else behind its name is in it.
const partsOfNamespaces = new Set(["status", "finalize"]);

/** `parseRequest("GET", parseAddress("/api/v1/namespaces/ctf/pods"))` */
export function parseRequest(method: string, { path, query }: Address): RequestInfo {
  const place = resourcePlace(path);
  if (!place) return { isResource: false, verb: method.toLowerCase(), path };
  const { parts, isLegacyWatch, ...groupVersion } = place;
  const { namespace, rest } = namespaceOf(parts);
  const [resource = "", name = "", subresource = ""] = rest;
  const info: ResourceRequest = {
    isResource: true,
    verb: isLegacyWatch ? "watch" : (verbs[method] ?? ""),
    ...groupVersion,
    namespace,
    resource,
    name,
    subresource,
  };
  return name === "" && !isLegacyWatch ? ofCollection(info, query) : info;
}

/** Whether the address is of the old form for watches: `/api/v1/watch/namespaces/ctf/pods`. */
export function isLegacyWatch(path: string): boolean {
  return resourcePlace(path)?.isLegacyWatch === true;
}

/** What stands behind group and version, or undefined where the address names no resource. */
function resourcePlace(path: string) {
  const [root, ...behindRoot] = path.replace(/^\/+|\/+$/g, "").split("/");
  if (root !== "api" && root !== "apis") return undefined;
  const [group = "", version = "", ...parts] = root === "api" ? ["", ...behindRoot] : behindRoot;
  if (parts.length === 0) return undefined;
  const isLegacyWatch = parts[0] === "watch" && parts.length > 1;
  return { group, version, isLegacyWatch, parts: isLegacyWatch ? parts.slice(1) : parts };
}

function namespaceOf(parts: string[]): { namespace: string; rest: string[] } {
  const [first, namespace = "", third] = parts;
  if (first !== "namespaces") return { namespace: "", rest: parts };
  const isInside = third !== undefined && !partsOfNamespaces.has(third);
  return { namespace, rest: isInside ? parts.slice(2) : parts };
}

function ofCollection(info: ResourceRequest, query: URLSearchParams): ResourceRequest {
  if (info.verb === "delete") return { ...info, verb: "deletecollection" };
  if (info.verb !== "get") return info;
  return { ...info, verb: readFlag(query, "watch") ? "watch" : "list", name: selectedName(query) };
}

/** A list of one name only may be allowed where a list of all is not. */
function selectedName(query: URLSearchParams): string {
  const text = query.get("fieldSelector");
  if (!text) return "";
  let selector: FieldMatcher;
  try {
    selector = parseFieldSelector(text);
  } catch {
    return "";
  }
  const wanted = selector.requirements.find(({ field, operator }) => field === "metadata.name" && operator === "=");
  return wanted && isPathSegment(wanted.value) ? wanted.value : "";
}

function isPathSegment(name: string): boolean {
  return name !== "." && name !== ".." && !/[/%]/.test(name);
}
