/** What a request asks for, as its method and its path say. */
export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete" | "deletecollection";

/** A request for a resource: `/apis/apps/v1/namespaces/ctf/deployments/web/scale`. */
export interface ResourceRequest {
  isResource: true;
  /** `""` for a method that stands for none: nobody may do that. */
  verb: Verb | "";
  group: string;
  version: string;
  /** `""` where none is named: all of them, or a kind without. */
  namespace: string;
  resource: string;
  /** `""` for the collection, unless its field selector asks for one name: then that, as RBAC sees it. */
  name: string;
  /** `""` for the object itself. */
  subresource: string;
}

/** Anything else: `/version`, `/openapi/v3`. */
export interface PathRequest {
  isResource: false;
  /** In lower case, as RBAC's rules for paths have it. */
  verb: string;
  path: string;
}

export type RequestInfo = ResourceRequest | PathRequest;
