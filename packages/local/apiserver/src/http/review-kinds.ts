/** Kinds of which nothing is stored: questions about who somebody is, and what they may do. */
import { builtIn } from "../kinds/built-in.ts";
import { selfSubjectReviewShape, tokenReviewShape } from "../kinds/reviews/authentication.ts";
import {
  selfSubjectAccessReviewShape,
  selfSubjectRulesReviewShape,
  subjectAccessReviewShape,
} from "../kinds/reviews/authorization.ts";
import type { ServedResource } from "../registry/resource.ts";
import type { Schema } from "../schema/schema.ts";

const authentication = "authentication.k8s.io";
const authorization = "authorization.k8s.io";

export const reviewKinds: readonly ServedResource[] = [
  question(authentication, "SelfSubjectReview", selfSubjectReviewShape),
  question(authentication, "TokenReview", tokenReviewShape),
  question(authorization, "LocalSubjectAccessReview", subjectAccessReviewShape, true),
  question(authorization, "SelfSubjectAccessReview", selfSubjectAccessReviewShape),
  question(authorization, "SelfSubjectRulesReview", selfSubjectRulesReviewShape),
  question(authorization, "SubjectAccessReview", subjectAccessReviewShape),
];

function question(group: string, kind: string, schema: Schema, namespaced = false): ServedResource {
  const resource = `${kind.toLowerCase()}s`;
  return builtIn({ group, resource, kind, schema, namespaced, verbs: ["create"], columns: [] });
}
