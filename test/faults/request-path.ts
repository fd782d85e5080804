/** What a request is about, read from how it was made. */
export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "apply" | "delete" | "deletecollection";

export interface RequestTarget {
  verb: Verb;
  /** `""` for what is no resource, such as `/version`. */
  resource: string;
  subresource: string;
  /** `""` for a cluster-scoped resource, and for a list of all namespaces. */
  namespace: string;
  /** `""` for a collection. */
  name: string;
}

/** `requestTarget("DELETE", "/api/v1/namespaces/web")` deletes the namespace `web`. */
export function requestTarget(method: string, url: string, contentType = ""): RequestTarget {
  const [path = "", query = ""] = url.split("?");
  const parts = path.split("/").filter(Boolean).map(decodeURIComponent);
  const inGroup = parts.slice(parts[0] === "api" ? 2 : parts[0] === "apis" ? 3 : parts.length);
  // Parts of the namespace itself, not resources within it.
  const isWithin =
    inGroup[0] === "namespaces" && inGroup.length > 2 && !["status", "finalize"].includes(inGroup[2] ?? "");
  const [resource = "", name = "", subresource = ""] = isWithin ? inGroup.slice(2) : inGroup;
  const verb = verbOf(method, { hasName: name !== "", isWatch: /(^|&)watch=(true|1)/.test(query), contentType });
  return { verb, resource, subresource, namespace: isWithin ? (inGroup[1] ?? "") : "", name };
}

function verbOf(method: string, of: { hasName: boolean; isWatch: boolean; contentType: string }): Verb {
  switch (method) {
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return of.contentType.startsWith("application/apply-patch") ? "apply" : "patch";
    case "DELETE":
      return of.hasName ? "delete" : "deletecollection";
    default:
      return of.isWatch ? "watch" : of.hasName ? "get" : "list";
  }
}
