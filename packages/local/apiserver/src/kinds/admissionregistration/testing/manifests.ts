/** Policies and bindings, good and bad; what is said of their expressions is among the probes of `admission/policies`. */
import type { Case } from "../../testing/manifests.ts";

type Spec = Record<string, unknown>;

const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] };
const validations = [{ expression: "true" }];
const policy = (spec: Spec, more: Partial<Case> = {}): Case => ({
  kind: "validatingadmissionpolicies.admissionregistration.k8s.io",
  create: { spec: { matchConstraints: { resourceRules: [rule] }, validations, ...spec } },
  ...more,
});
const matching = (match: Spec): Case => policy({ matchConstraints: { resourceRules: [rule], ...match } });
const ruled = (more: Spec): Case => matching({ resourceRules: [{ ...rule, ...more }] });
const binding = (spec: Spec, more: Partial<Case> = {}): Case => ({
  kind: "validatingadmissionpolicybindings.admissionregistration.k8s.io",
  create: { spec: { policyName: "one", validationActions: ["Deny"], ...spec } },
  ...more,
});
const condition = {
  type: "Ready",
  status: "True",
  reason: "Fine",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};

export const policyCases: Record<string, Case> = {
  "policy-least": policy({}),
  "policy-full": policy(
    {
      failurePolicy: "Ignore",
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      matchConditions: [{ name: "a", expression: "params != null" }],
      variables: [{ name: "v", expression: "object.metadata.name" }],
      validations: [{ expression: "variables.v == 'a'", message: "m", messageExpression: "'m'", reason: "Forbidden" }],
      auditAnnotations: [{ key: "k", valueExpression: "'v'" }],
      matchConstraints: {
        matchPolicy: "Exact",
        namespaceSelector: { matchLabels: { a: "b" } },
        objectSelector: { matchExpressions: [{ key: "a", operator: "Exists" }] },
        resourceRules: [{ ...rule, scope: "Namespaced", resourceNames: ["a"], resources: ["pods", "pods/status"] }],
        excludeResourceRules: [
          { ...rule, operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] },
        ],
      },
    },
    {
      updates: [{ metadata: { labels: { a: "b" } } }, { spec: { failurePolicy: null } }, { spec: { variables: null } }],
      status: [
        { status: { observedGeneration: 1, typeChecking: {}, conditions: [condition] } },
        {
          status: {
            typeChecking: { expressionWarnings: [{ fieldRef: "spec.validations[0].expression", warning: "w" }] },
          },
        },
        { status: { typeChecking: { expressionWarnings: [{ fieldRef: " ", warning: "" }] } } },
        {
          status: {
            conditions: [
              condition,
              condition,
              { type: "a b", status: "Maybe", reason: "", message: "", observedGeneration: -1 },
              { ...condition, type: "Other", reason: "1 2" },
            ],
          },
        },
      ],
    },
  ),
  "policy-empty": { kind: policy({}).kind, create: {} },
  "policy-no-validations": policy({ validations: [] }),
  "policy-annotations-only": policy({ validations: [], auditAnnotations: [{ key: "k", valueExpression: "'v'" }] }),
  "policy-annotation-key": policy({ auditAnnotations: [{ key: "a b", valueExpression: "'v'" }] }),
  "policy-many-annotations": policy({
    auditAnnotations: Array.from({ length: 21 }, (_, i) => ({ key: `k${i}`, valueExpression: "'v'" })),
  }),
  "policy-long-annotation": policy({ auditAnnotations: [{ key: "k", valueExpression: `'${"x".repeat(5200)}'` }] }),
  "policy-many-conditions": policy({
    matchConditions: Array.from({ length: 65 }, (_, i) => ({ name: `c${i}`, expression: "true" })),
  }),
  "policy-no-rules": matching({ resourceRules: [] }),
  "policy-empty-rule": matching({ resourceRules: [{}] }),
  "policy-match-policy": matching({ matchPolicy: "Nope" }),
  "policy-selectors": matching({
    namespaceSelector: { matchLabels: { "a b": "c d" } },
    objectSelector: { matchExpressions: [{ key: "a", operator: "Nope" }] },
  }),
  "policy-stars": ruled({ apiGroups: ["*", "a"], apiVersions: ["*", "", "v1"], operations: ["*", "CREATE", "NOPE"] }),
  "policy-scope": ruled({ scope: "Nope" }),
  "policy-names": ruled({ resourceNames: ["a", "a", "b/c", ".."] }),
  "policy-all-and-others": ruled({ resources: ["*/*", "pods"] }),
  "policy-plain-and-others": ruled({ resources: ["*", "pods"] }),
  "policy-plain-before-star": ruled({ resources: ["pods", "*"] }),
  "policy-parts-twice": ruled({ resources: ["pods/*", "pods/status", "*/scale", "deployments/scale", ""] }),
  "policy-excluded": matching({ excludeResourceRules: [{ ...rule, operations: [] }] }),
  "binding-least": binding({}, { updates: [{ spec: { validationActions: ["Warn", "Audit"] } }] }),
  "binding-full": binding({
    paramRef: { name: "a", namespace: "b", parameterNotFoundAction: "Deny" },
    matchResources: { resourceRules: [rule] },
  }),
  "binding-selector": binding({
    paramRef: {
      selector: {
        matchLabels: { b: "c", a: "b" },
        matchExpressions: [{ key: "x", operator: "In", values: ["y", "z"] }],
      },
      parameterNotFoundAction: "Allow",
    },
  }),
  "binding-name": binding({ paramRef: { name: "a", parameterNotFoundAction: "Deny" } }),
  "binding-empty": { kind: binding({}).kind, create: {} },
  "binding-policy-name": binding({ policyName: "A b" }),
  "binding-both": binding({ paramRef: { name: "a/b", selector: {} } }),
  "binding-neither": binding({ paramRef: { parameterNotFoundAction: "Nope" } }),
  "binding-actions": binding({ validationActions: ["Deny", "Warn", "Warn", "Nope"] }),
  "binding-match": binding({ matchResources: { matchPolicy: "x", resourceRules: [{}] } }),
};
