/** What a policy and its bindings say, once they are stored: defaults are filled in. */
import type { LabelSelector } from "@berg/apimachinery";

export interface RuleWithOperations {
  resourceNames?: string[];
  operations?: string[];
  apiGroups?: string[];
  apiVersions?: string[];
  resources?: string[];
  scope?: string;
}

export interface MatchResources {
  namespaceSelector?: LabelSelector;
  objectSelector?: LabelSelector;
  resourceRules?: RuleWithOperations[];
  excludeResourceRules?: RuleWithOperations[];
  matchPolicy?: string;
}

export interface ParamKind {
  apiVersion?: string;
  kind?: string;
}

export interface Named {
  name: string;
  expression: string;
}

export interface Validation {
  expression: string;
  message?: string;
  messageExpression?: string;
  reason?: string;
}

export interface AuditAnnotation {
  key: string;
  valueExpression: string;
}

export interface PolicySpec {
  failurePolicy?: string;
  paramKind?: ParamKind;
  matchConstraints?: MatchResources;
  matchConditions?: Named[];
  variables?: Named[];
  validations?: Validation[];
  auditAnnotations?: AuditAnnotation[];
}

export interface ParamRef {
  name?: string;
  namespace?: string;
  selector?: LabelSelector;
  parameterNotFoundAction?: string;
}

export interface BindingSpec {
  policyName?: string;
  paramRef?: ParamRef;
  matchResources?: MatchResources;
  validationActions?: string[];
}

/** Of an object that has been decoded. */
export const policySpecOf = (object: unknown): PolicySpec => (object as { spec: PolicySpec }).spec;
export const bindingSpecOf = (object: unknown): BindingSpec => (object as { spec: BindingSpec }).spec;
