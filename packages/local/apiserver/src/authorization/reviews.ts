/** Questions about what somebody may do: SubjectAccessReview and its kin. */
import type { User } from "../authentication/user.ts";
import { type FieldError, invalid } from "../errors/field-error.ts";
import { badRequest, invalid as refuseInvalid } from "../errors/refusals.ts";
import type { Endpoint, Endpoints } from "../http/endpoints.ts";
import type { AnyObject } from "../registry/resource.ts";
import type { RequestInfo, Verb } from "../requests/request-info.ts";
import type { Rbac } from "./rbac.ts";

const group = "authorization.k8s.io";

interface Question {
  resourceAttributes?: Partial<
    Record<"namespace" | "verb" | "group" | "version" | "resource" | "subresource" | "name", string>
  >;
  nonResourceAttributes?: { path?: string; verb?: string };
  user?: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
}

type Review = AnyObject & { spec?: Question };

export function authorizationReviews(rbac: Rbac): Endpoints {
  const answered = (review: Review, spec: Question, user: User) => {
    const { allowed, reason } = rbac.authorize(user, infoOf(spec));
    return { ...review, spec, status: { allowed, ...(reason && { reason }) } };
  };
  const aboutOthers = (kind: string, problemsOf: (review: Review, namespace: string) => FieldError[]): Endpoint => ({
    async create({ namespace }, body) {
      const review = body.value as Review;
      const { spec = {} } = review;
      check(kind, [...aboutOne(spec), ...aboutSubject(spec), ...problemsOf(review, namespace)]);
      const { user: name = "", groups = [], uid, extra } = spec;
      return answered(review, spec, { name, groups, ...(uid && { uid }), ...(extra && { extra }) });
    },
  });
  return {
    [`selfsubjectaccessreviews.${group}`]: {
      async create(_, body, __, { user }) {
        const review = body.value as Review;
        const { spec = {} } = review;
        check("SelfSubjectAccessReview", [...aboutOne(spec), ...emptyMetadata(review)]);
        return answered(review, spec, user);
      },
    },
    [`subjectaccessreviews.${group}`]: aboutOthers("SubjectAccessReview", emptyMetadata),
    [`localsubjectaccessreviews.${group}`]: aboutOthers("LocalSubjectAccessReview", aboutNamespace),
    [`selfsubjectrulesreviews.${group}`]: {
      async create(_, body, __, { user }) {
        const review = body.value as AnyObject & { spec?: { namespace?: string } };
        const { namespace = "" } = review.spec ?? {};
        if (namespace === "") throw badRequest("no namespace on request");
        return { ...review, spec: { namespace }, status: rulesIn(rbac, user, namespace) };
      },
    },
  };
}

function infoOf({ resourceAttributes: wanted, nonResourceAttributes: path }: Question): RequestInfo {
  if (!wanted) return { isResource: false, verb: path?.verb ?? "", path: path?.path ?? "" };
  const { verb = "", group = "", version = "", namespace = "", resource = "", subresource = "", name = "" } = wanted;
  return { isResource: true, verb: verb as Verb, group, version, namespace, resource, subresource, name };
}

function check(kind: string, errors: FieldError[]): void {
  if (errors.length > 0) throw refuseInvalid({ group, kind, name: "" }, errors);
}

function aboutOne({ resourceAttributes: resource, nonResourceAttributes: path }: Question): FieldError[] {
  if (resource && path) {
    return [invalid("spec.nonResourceAttributes", path, "cannot be specified in combination with resourceAttributes")];
  }
  if (resource || path) return [];
  const detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
  return [invalid("spec.resourceAttributes", null, detail)];
}

function aboutSubject({ user, groups }: Question): FieldError[] {
  if (user || groups?.length) return [];
  return [invalid("spec.user", "", "at least one of user or group must be specified")];
}

function emptyMetadata({ metadata }: Review): FieldError[] {
  const { managedFields: _, creationTimestamp: __, ...rest } = metadata ?? {};
  return Object.values(rest).every(isNothing) ? [] : [invalid("metadata", metadata, "must be empty")];
}

/** Written, but without a value: Go cannot tell it from what is left out. */
function isNothing(value: unknown): boolean {
  return !value || (typeof value === "object" && Object.keys(value).length === 0);
}

function aboutNamespace({ spec, metadata }: Review, namespace: string): FieldError[] {
  const errors: FieldError[] = [];
  const asked = spec?.resourceAttributes?.namespace ?? "";
  const own = metadata?.namespace || namespace;
  if (spec?.resourceAttributes && asked !== own) {
    errors.push(invalid("spec.resourceAttributes.namespace", asked, "must match metadata.namespace"));
  }
  if (spec?.nonResourceAttributes) {
    errors.push(
      invalid("spec.nonResourceAttributes", spec.nonResourceAttributes, "disallowed on this kind of request"),
    );
  }
  return errors;
}

function rulesIn(rbac: Rbac, user: User, namespace: string): object {
  const rules = rbac.rulesFor(user, namespace);
  const all = { verbs: ["*"], apiGroups: ["*"], resources: ["*"] };
  const isMaster = rbac.authorize(
    user,
    infoOf({ resourceAttributes: { verb: "*", group: "*", resource: "*" } }),
  ).allowed;
  const resourceRules = rules.filter(({ resources }) => resources?.length);
  const nonResourceRules = rules.filter(({ nonResourceURLs }) => nonResourceURLs?.length);
  return {
    resourceRules: isMaster && resourceRules.length === 0 ? [all] : resourceRules,
    nonResourceRules:
      isMaster && nonResourceRules.length === 0 ? [{ verbs: ["*"], nonResourceURLs: ["*"] }] : nonResourceRules,
    incomplete: false,
  };
}
