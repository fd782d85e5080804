/** Policies with parameters: which objects those are, and who may name them. */
import { StatusError } from "@berg/apimachinery";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ParamRef, PolicySpec } from "../../kinds/admissionregistration/types.ts";
import { dryRun } from "../../registry/testing/given.ts";
import type { Caller } from "../../registry/verbs.ts";
import { denialOf, type Given, givenPolicies, rule } from "./testing/given.ts";

let given: Given;
beforeEach(async () => {
  given = await givenPolicies();
  for (const [name, max] of Object.entries({ small: "3", large: "5" }))
    await given.create("configmaps", { metadata: { name, labels: { limit: "yes" } }, data: { max } });
});
afterEach(() => given[Symbol.asyncDispose]());

const limited: PolicySpec = {
  paramKind: { apiVersion: "v1", kind: "ConfigMap" },
  matchConstraints: { resourceRules: [rule("", "secrets namespaces")] },
  validations: [
    {
      expression: "params != null && object.metadata.name.size() <= int(params.data.max)",
      messageExpression: "params == null ? 'no params' : 'too long for ' + string(params.metadata.name)",
    },
  ],
};
const ofNamespaces: PolicySpec = {
  ...limited,
  paramKind: { apiVersion: "v1", kind: "Namespace" },
  validations: [{ expression: "false", messageExpression: "string(params.metadata.name)" }],
};
const secret = (name: string) => denialOf(given.create("secrets", { metadata: { name } }, dryRun));
const notFound = "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction";
const deny = { parameterNotFoundAction: "Deny" };

describe("the parameters of a binding", () => {
  test.each<[string, PolicySpec, ParamRef | undefined, (string | null)[]]>([
    ["by name", limited, { name: "small", ...deny }, [null, "too long for small", "too long for small"]],
    ["elsewhere", limited, { name: "small", namespace: "nope", ...deny }, [notFound, notFound, notFound]],
    ["not there", limited, { name: "nope", ...deny }, [notFound, notFound, notFound]],
    ["not needed", limited, { name: "nope", parameterNotFoundAction: "Allow" }, [null, null, null]],
    ["not there, and so be it", { ...limited, failurePolicy: "Ignore" }, { name: "nope", ...deny }, [null, null, null]],
    [
      "all that are selected",
      limited,
      { selector: { matchLabels: { limit: "yes" } }, ...deny },
      [null, "too long for small", "too long for large"],
    ],
    ["none selected", limited, { selector: { matchLabels: { limit: "no" } }, ...deny }, [notFound, notFound, notFound]],
    ["none named", limited, undefined, ["no params", "no params", "no params"]],
    ["in no namespace", ofNamespaces, { name: "default", ...deny }, ["default", "default", "default"]],
    [
      "in no namespace, and one is named",
      ofNamespaces,
      { name: "default", namespace: "x", ...deny },
      Array(3).fill(
        "failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped `paramKind`",
      ),
    ],
  ])("%s", async (_, policy, paramRef, denials) => {
    await given.policy("p", policy, { ...(paramRef && { paramRef }) });
    expect([await secret("ab"), await secret("abcd"), await secret("abcdefg")]).toEqual(denials);
  });

  test("are looked for nowhere where the request is in no namespace", async () => {
    const matchConstraints = { resourceRules: [rule("rbac.authorization.k8s.io", "clusterroles")] };
    await given.policy("p", { ...limited, matchConstraints }, { paramRef: { name: "small", ...deny } });
    const made = given.create("clusterroles.rbac.authorization.k8s.io", { metadata: { name: "r" } }, dryRun);
    expect(await denialOf(made)).toBe(
      "failed to configure binding: cannot use namespaced paramRef in policy binding that matches cluster-scoped resources",
    );
  });
});

describe("whoever may not read the parameters may not name them", () => {
  const eve = (): Caller => ({ ...given.admin, user: { name: "eve", groups: ["g"], extra: { a: ["b"] } } });
  const who = "user &{eve  [g] map[a:[b]]}";
  const ref = { name: "small", namespace: "default", ...deny };
  const bound = (policyName: string, paramRef: object, caller = eve(), name = "b") =>
    given.create(
      "validatingadmissionpolicybindings.admissionregistration.k8s.io",
      { metadata: { name }, spec: { policyName, paramRef, validationActions: ["Deny"] } },
      dryRun,
      caller,
    );

  async function problem(call: Promise<unknown>): Promise<string> {
    const error = await call.catch((error: unknown) => error);
    if (!(error instanceof StatusError) || error.status.code !== 422) throw new Error("want 422", { cause: error });
    const [cause, ...more] = error.status.details?.causes ?? [];
    expect(more).toEqual([]);
    return `${cause?.field}: ${cause?.message}`;
  }

  async function allow(verb: string): Promise<void> {
    const metadata = { name: "reads" };
    const rules = [{ apiGroups: [""], resources: ["configmaps"], verbs: [verb] }];
    await given.create("clusterroles.rbac.authorization.k8s.io", { metadata, rules });
    await given.create("clusterrolebindings.rbac.authorization.k8s.io", {
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "reads" },
      subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "eve" }],
    });
  }

  test("in a policy", async () => {
    const why = `must have "get" permission on all objects of the referenced paramKind (kind=ConfigMap, apiVersion=v1)`;
    expect(await problem(given.policy("p", limited, {}, eve()))).toBe(`spec.paramKind: Forbidden: ${who} ${why}`);
    await allow("get");
    await given.policy("p", limited, {}, eve());
  });

  test("in a binding", async () => {
    await given.policy("p", limited);
    await given.policy("plain", { validations: [{ expression: "true" }] });
    await given.policy("odd", { ...limited, paramKind: { apiVersion: "x.y/v1", kind: "Nope" } });
    const on = (verb: string) =>
      `spec.paramRef: Forbidden: ${who} does not have "${verb}" permission on the object referenced by paramRef`;
    const unable = (what: string) =>
      `spec.paramRef: Forbidden: unable to ${what} to determine minimum required permissions and ${who} does not have "get" permission for all groups, versions and resources`;
    expect(await problem(bound("p", ref))).toBe(on("get"));
    expect(await problem(bound("p", { selector: {}, ...deny }))).toBe(on("list"));
    expect(await problem(bound("plain", ref))).toBe(on("get"));
    expect(await problem(bound("nope", ref))).toBe(unable("get policy nope"));
    expect(await problem(bound("odd", ref))).toBe(unable("resolve paramKind &{x.y/v1 Nope}"));
    await bound("p", ref, given.admin);
    await allow("get");
    await bound("p", ref);
    expect(await problem(bound("p", { selector: {}, ...deny }))).toBe(on("list"));
  });
});
