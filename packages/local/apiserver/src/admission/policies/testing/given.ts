/** A registry in which policies hold, and short words for what tests ask of it. */
import type { StatusError } from "@berg/apimachinery";
import { mastersGroup } from "../../../authentication/user.ts";
import { Rbac } from "../../../authorization/rbac.ts";
import type { BindingSpec, PolicySpec } from "../../../kinds/admissionregistration/types.ts";
import { builtInKinds } from "../../../kinds/index.ts";
import type { AnyObject, AnyStoredObject, ServedResource } from "../../../registry/resource.ts";
import { subresourceEndpoints } from "../../../registry/subresources/endpoints.ts";
import { body, givenRegistry, remove, write } from "../../../registry/testing/given.ts";
import type { Caller, WriteOptions } from "../../../registry/verbs.ts";
import type { Admission } from "../../admission.ts";
import { admissionPolicies } from "../policies.ts";

export function kindOf(plural: string): ServedResource {
  const [resource, ...group] = plural.split(".");
  const found = builtInKinds.find((kind) => kind.resource === resource && kind.group === group.join("."));
  if (!found) throw new Error(`no such kind: ${plural}`);
  return found;
}

const policies = "validatingadmissionpolicies.admissionregistration.k8s.io";
const bindings = "validatingadmissionpolicybindings.admissionregistration.k8s.io";

export async function givenPolicies() {
  const admissions: Admission[] = [];
  const given = await givenRegistry(admissions, builtInKinds);
  const { store, registry, verbs } = given;
  admissions.push(admissionPolicies({ store, served: registry.served, rbac: new Rbac(store) }));
  const admin: Caller = {
    ...given.caller,
    user: { name: "admin", groups: [mastersGroup, "system:authenticated"] },
  };

  const create = (plural: string, object: object, options: WriteOptions = write, caller = admin) => {
    const kind = kindOf(plural);
    const { metadata } = object as AnyObject;
    const namespace = kind.namespaced ? (metadata.namespace ?? "default") : "";
    return verbs.create(kind, namespace, body(object), options, caller).then(({ object }) => object);
  };
  const place = (plural: string, name: string) => {
    const resource = kindOf(plural);
    return { resource, namespace: resource.namespaced ? "default" : "", name };
  };
  await create("namespaces", { metadata: { name: "default" } });

  return {
    ...given,
    admin,
    create,
    patch: (plural: string, name: string, value: object, subresource = "") =>
      verbs
        .patch(place(plural, name), subresource, { type: "merge", body: body(value) }, write, admin)
        .then(({ object }) => object),
    scale: (plural: string, name: string, replicas: number) =>
      subresourceEndpoints(registry).scale.patch(
        place(plural, name),
        { type: "merge", body: body({ spec: { replicas } }) },
        write,
        admin,
      ),
    evict: (name: string) =>
      subresourceEndpoints(registry)["pods/eviction"].create(
        place("pods", name),
        body({ metadata: { name, namespace: "default" } }),
        write,
        admin,
      ),
    delete: (plural: string, name: string) => verbs.delete(place(plural, name), remove, admin),
    /** In force when it returns. What is left out is filled in so that config maps are meant. */
    async policy(name: string, spec: PolicySpec, binding: BindingSpec = {}, caller = admin): Promise<AnyStoredObject> {
      const matchConstraints = { resourceRules: [rule("", "configmaps")] };
      const made = await create(policies, { metadata: { name }, spec: { matchConstraints, ...spec } }, write, caller);
      const bound = { policyName: name, validationActions: ["Deny"], ...binding };
      await create(bindings, { metadata: { name }, spec: bound }, write, caller);
      return made;
    },
  };
}

export type Given = Awaited<ReturnType<typeof givenPolicies>>;

export function rule(group: string, resources: string, operations = "*", more: object = {}) {
  const [apiGroups, list] = [[group], resources.split(" ")];
  return { apiGroups, apiVersions: ["*"], resources: list, operations: operations.split(" "), ...more };
}

/** What it is denied with, or null. */
export function denialOf(call: Promise<unknown>): Promise<string | null> {
  return call.then(
    () => null,
    ({ status }: StatusError) => {
      const { message = "", details } = status;
      const [, denial] = message.split(" denied request: ");
      if (denial === undefined || details?.causes?.[0]?.message !== message.replace(/^.*? is forbidden: /s, ""))
        throw new Error(`not a denial: ${message}`);
      return message.slice(message.indexOf(" denied request: ") + " denied request: ".length);
    },
  );
}
