/** The addresses of a kind, and what can be done there, as OpenAPI has it. kubectl reads which writes can be tried out. */
import { apiVersionOf } from "@berg/apimachinery";
import { isBuiltIn } from "../discovery/built-in-groups.ts";
import { subresourcesOf } from "../discovery/groups.ts";
import type { ServedResource } from "../registry/resource.ts";
import type { Verb } from "../requests/request-info.ts";
import { groupVersionKind, type Json, reference, schemaName } from "./schemas.ts";

const methods: Partial<Record<Verb, { method: string; action: string }>> = {
  list: { method: "get", action: "list" },
  create: { method: "post", action: "post" },
  deletecollection: { method: "delete", action: "deletecollection" },
  get: { method: "get", action: "get" },
  update: { method: "put", action: "put" },
  patch: { method: "patch", action: "patch" },
  delete: { method: "delete", action: "delete" },
};
const ofCollection: Verb[] = ["list", "create", "deletecollection"];
const ofObject: Verb[] = ["get", "update", "patch", "delete"];
const ofStatus: Verb[] = ["get", "update", "patch"];

const dryRun = parameter("dryRun", "string", "`All`: nothing is kept.");
const fieldManager = parameter("fieldManager", "string", "Who writes.");
const fieldValidation = parameter("fieldValidation", "string", "What unknown and duplicate fields lead to.");
const force = parameter("force", "boolean", "Takes over what others have applied.");
const listParameters = [
  parameter("labelSelector", "string", "Which labels objects must have."),
  parameter("fieldSelector", "string", "Which values fields must have."),
  parameter("limit", "integer", "How many at most."),
  parameter("continue", "string", "Where the last part of a list ended."),
  parameter("resourceVersion", "string", "How new it must be at least."),
  parameter("watch", "boolean", "What happens, instead of what is there."),
];
const parametersOf: Partial<Record<Verb, Json[]>> = {
  list: listParameters,
  deletecollection: [...listParameters, dryRun],
  create: [dryRun, fieldManager, fieldValidation],
  update: [dryRun, fieldManager, fieldValidation],
  patch: [dryRun, fieldManager, fieldValidation, force],
  delete: [dryRun, parameter("gracePeriodSeconds", "integer", ""), parameter("propagationPolicy", "string", "")],
};

export function pathsOf(resource: ServedResource): Record<string, Json> {
  const { group, version, namespaced } = resource;
  const root = `/${group === "" ? "api" : "apis"}/${apiVersionOf({ group, version })}`;
  const collection = `${root}${namespaced ? "/namespaces/{namespace}" : ""}/${resource.resource}`;
  const paths: Record<string, Json> = {
    ...(namespaced && { [`${root}/${resource.resource}`]: operations(resource, ["list"]) }),
    [collection]: operations(resource, ofCollection),
    [`${collection}/{name}`]: operations(resource, ofObject),
  };
  for (const [name] of subresourcesOf(resource)) {
    if (name === "status") paths[`${collection}/{name}/status`] = operations(resource, ofStatus);
  }
  return Object.fromEntries(Object.entries(paths).filter(([, item]) => Object.keys(item).length > 0));
}

function operations(resource: ServedResource, verbs: readonly Verb[]): Json {
  const item: Json = {};
  for (const verb of verbs) {
    const known = methods[verb];
    if (known && resource.verbs.includes(verb)) item[known.method] = operation(resource, verb, known.action);
  }
  return item;
}

function operation(resource: ServedResource, verb: Verb, action: string): Json {
  const name = schemaName(resource);
  const answer = reference(verb === "list" || verb === "deletecollection" ? `${name}List` : name);
  return {
    ...(parametersOf[verb] && { parameters: parametersOf[verb] }),
    ...((verb === "create" || verb === "update") && { requestBody: content(["*/*"], reference(name)) }),
    ...(verb === "patch" && { requestBody: content(patchTypes(resource), { type: "object" }) }),
    responses: { "200": { description: "OK", ...content(["application/json", "application/yaml"], answer) } },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": groupVersionKind(resource),
  };
}

function patchTypes(resource: ServedResource): string[] {
  const types = ["apply-patch+yaml", "json-patch+json", "merge-patch+json"];
  return [...types, ...(!isBuiltIn(resource) ? [] : ["strategic-merge-patch+json"])].map(
    (type) => `application/${type}`,
  );
}

function content(types: readonly string[], schema: Json): Json {
  return { content: Object.fromEntries(types.map((type) => [type, { schema }])) };
}

function parameter(name: string, type: string, description: string): Json {
  return { name, in: "query", description, schema: { type, uniqueItems: true } };
}
