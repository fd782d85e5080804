/** What a policy's expressions can name, for one request: read from it when it is first asked for. */
import type { Rbac } from "../../authorization/rbac.ts";
import type { ServedResource } from "../../registry/resource.ts";
import type { RequestInfo, Verb } from "../../requests/request-info.ts";
import { Authorizer, type Question } from "../../schema/cel/library/authorizer.ts";
import type { Value } from "../../schema/cel/values.ts";
import type { AdmissionRequest } from "../admission.ts";
import type { MakeInputs } from "./evaluate.ts";
import { kindAt, shownAs } from "./seen.ts";
import { fromJson } from "./values.ts";

export interface Asked {
  request: AdmissionRequest;
  /** As which resource the policy means it. */
  resource: ServedResource;
  /** Null where the request is in none. */
  namespace: object | null;
  rbac: Rbac;
}

/** Of all bindings of a policy; each with parameters of its own. */
export function inputsFor({ request, resource, namespace, rbac }: Asked): (params: unknown) => MakeInputs {
  const object = lazily(() => shownAs(request, request.draft, resource));
  const oldObject = lazily(() => shownAs(request, request.old, resource));
  const requestValue = lazily(() => requestOf(request, resource));
  const namespaceObject = lazily(() => namespace && withoutType(namespace));
  const authorizer = new Authorizer(request.user, (who, question) => rbac.authorize(who, asRequest(question)));
  const { group, resource: plural } = request.resource;
  const requestResource = authorizer
    .group(group)
    .resource(plural)
    .with({ namespace: request.namespace, name: request.name, subresource: request.subresource });
  return (params) => {
    const paramsValue = lazily(() => params);
    return (without) => ({
      get object() {
        return object();
      },
      get oldObject() {
        return oldObject();
      },
      get request() {
        return requestValue();
      },
      get namespaceObject() {
        return without === "namespace" ? null : namespaceObject();
      },
      get params() {
        return paramsValue();
      },
      ...(without !== "authorizer" && { authorizer, "authorizer.requestResource": requestResource }),
    });
  };
}

/** A verb may be any that a role names. */
function asRequest(question: Question): RequestInfo {
  return question.isResource ? { ...question, version: "*", verb: question.verb as Verb } : question;
}

function lazily(read: () => unknown): () => Value {
  let known: Value | undefined;
  return () => {
    known ??= fromJson(read());
    return known;
  };
}

/** What is not there is left out, so that asking for it is an error, as in Kubernetes. */
function requestOf(request: AdmissionRequest, as: ServedResource): object {
  const { resource, subresource, name, namespace, user } = request;
  const subresources = subresource && { subResource: subresource, requestSubResource: subresource };
  const { uid, groups, extra = {} } = user;
  return {
    kind: kindAt(as, subresource),
    resource: { group: as.group, version: as.version, resource: as.resource },
    requestKind: kindAt(resource, subresource),
    requestResource: { group: resource.group, version: resource.version, resource: resource.resource },
    ...subresources,
    ...(name && { name }),
    ...(namespace && { namespace }),
    operation: request.verb.toUpperCase(),
    userInfo: {
      username: user.name,
      ...(uid && { uid }),
      ...(groups.length > 0 && { groups }),
      ...(Object.keys(extra).length > 0 && { extra }),
    },
    dryRun: request.isDryRun,
    options: request.options,
  };
}

/** Neither its type nor who wrote it is shown. */
function withoutType(namespace: object): object {
  const { apiVersion, kind, metadata, ...rest } = namespace as { metadata: object; [field: string]: unknown };
  const { managedFields, ownerReferences, selfLink, ...shown } = metadata as Record<string, unknown>;
  return { metadata: shown, ...rest };
}
