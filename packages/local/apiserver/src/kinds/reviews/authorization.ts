/** Questions about what somebody may do. */
import { always, bool, list, mapOf, object, text } from "../shapes.ts";

const requirement = object({ key: always(text()), operator: always(text()), values: list(text()) }, [
  "key",
  "operator",
]);
const selector = object({ rawSelector: text(), requirements: list(requirement) });

const question = {
  resourceAttributes: object({
    namespace: text(),
    verb: text(),
    group: text(),
    version: text(),
    resource: text(),
    subresource: text(),
    name: text(),
    fieldSelector: selector,
    labelSelector: selector,
  }),
  nonResourceAttributes: object({ path: text(), verb: text() }),
};

const answer = object({ allowed: always(bool()), denied: bool(), reason: text(), evaluationError: text() }, [
  "allowed",
]);

/** Of a LocalSubjectAccessReview as well, which is about objects of one namespace. */
export const subjectAccessReviewShape = object(
  {
    spec: always(object({ ...question, user: text(), groups: list(text()), extra: mapOf(list(text())), uid: text() })),
    status: always(answer),
  },
  ["spec"],
);

export const selfSubjectAccessReviewShape = object({ spec: always(object(question)), status: always(answer) }, [
  "spec",
]);

const resourceRule = object(
  { verbs: always(list(text())), apiGroups: list(text()), resources: list(text()), resourceNames: list(text()) },
  ["verbs"],
);
const nonResourceRule = object({ verbs: always(list(text())), nonResourceURLs: list(text()) }, ["verbs"]);

export const selfSubjectRulesReviewShape = object(
  {
    spec: always(object({ namespace: text() })),
    status: always(
      object(
        {
          resourceRules: always(list(resourceRule)),
          nonResourceRules: always(list(nonResourceRule)),
          incomplete: always(bool()),
          evaluationError: text(),
        },
        ["resourceRules", "nonResourceRules", "incomplete"],
      ),
    ),
  },
  ["spec"],
);
