/** Makes service account, roles and bindings of a request as its rules say, and removes what they say no more. */
import type { KubeObject, Stored } from "@berg/apimachinery";
import { type Client, type Clock, deleteChild, type ServiceAccount, ServiceAccounts } from "@berg/kube";
import type { Request } from "../names.ts";
import { normalise } from "../rules/normalise.ts";
import { codeRunIn, escalating, readsAllSecrets, secretsWrittenIn } from "../rules/problems.ts";
import type { Grant } from "../status/granted.ts";
import { TargetTrouble } from "../trouble.ts";
import { conditionTypes, reasons, texts } from "../vocabulary.ts";
import type { AccessNamespaces } from "./access-namespaces.ts";
import { ensureBinding, ensureRole, ensureThere, isNamespaceThere } from "./ensure.ts";
import { type Holdings, named } from "./holdings.ts";
import { ClusterRoleBindings, ClusterRoles, RoleBindings, Roles } from "./kinds.ts";
import { bindingFor, clusterRoleFor, roleFor, serviceAccount, type WantedRules } from "./objects.ts";
import { ensureTokenPolicy } from "./token-policy.ts";

export interface Granted extends Grant {
  account: Stored<ServiceAccount>;
}

interface GrantOptions {
  accessNamespaces: AccessNamespaces;
  allowEscalating: boolean;
  clock: Clock;
  signal: AbortSignal;
}

export async function grant(
  client: Client,
  request: Request,
  held: Holdings,
  { accessNamespaces, allowEscalating, clock, signal }: GrantOptions,
): Promise<Granted> {
  const { wanted, ...told } = await wantedRules(client, request, allowEscalating, signal);
  const around = { client, request, signal };
  const missingNamespace = await missingNamespaceOf(wanted, held, around);
  const found = named(held.serviceAccounts, request);
  await accessNamespaces.ensure(client, !found, signal);
  const account = await ensureThere(ServiceAccounts, serviceAccount(request), found, around);
  const here = missingNamespace === undefined ? wanted.role : undefined;
  const secretsIn = secretsWrittenIn(here);
  if (secretsIn !== undefined) await ensureTokenPolicy(client, secretsIn, { clock, signal });
  await removeStale(client, request, held, { clusterRole: wanted.clusterRole, role: here }, signal);
  if (wanted.clusterRole) {
    await ensureRole(
      ClusterRoles,
      clusterRoleFor(request, wanted.clusterRole),
      named(held.clusterRoles, request),
      around,
    );
    await ensureBinding(ClusterRoleBindings, bindingFor(request), named(held.clusterRoleBindings, request), around);
  }
  if (here) {
    const { namespace, rules } = here;
    await ensureRole(Roles, roleFor(request, namespace, rules), named(held.roles, request, namespace), around);
    const binding = bindingFor(request, namespace);
    await ensureBinding(RoleBindings, binding, named(held.roleBindings, request, namespace), around);
  }
  return {
    ...told,
    account,
    missingNamespace,
    codeRunsIn: codeRunIn(wanted.role),
    readsAllSecrets: readsAllSecrets(wanted.clusterRole),
  };
}

async function wantedRules(
  client: Client,
  { spec }: Request,
  allowEscalating: boolean,
  signal: AbortSignal,
): Promise<{ wanted: WantedRules } & Pick<Grant, "unknown" | "renamed">> {
  const served = await client.discovery.all({ signal });
  const cluster = spec.clusterRole && normalise(spec.clusterRole.rules, served);
  const role = spec.role && normalise(spec.role.rules, served);
  const wanted = {
    clusterRole: cluster?.rules,
    role: spec.role && role && { namespace: spec.role.namespace, rules: role.rules },
  };
  // Again, with the names that the cluster has for what the spec names by its kind.
  const powers = allowEscalating
    ? []
    : escalating({ ...(cluster && { clusterRole: cluster }), ...(wanted.role && { role: wanted.role }) });
  if (powers.length > 0) {
    const message = texts.escalatingRules(powers);
    const type = conditionTypes.rulesAccepted;
    throw new TargetTrouble({ type, reason: reasons.escalatingRules, message, again: false });
  }
  const normalised = [cluster, role].filter((each) => each !== undefined);
  return {
    wanted,
    unknown: normalised.flatMap(({ unknown }) => unknown),
    renamed: [...new Set(normalised.flatMap(({ renamed }) => renamed))],
  };
}

async function missingNamespaceOf(
  { role }: WantedRules,
  { roles, roleBindings }: Holdings,
  { client, request, signal }: { client: Client; request: Request; signal: AbortSignal },
): Promise<string | undefined> {
  if (!role) return undefined;
  const { namespace } = role;
  // What is in it is there no longer than it is itself.
  if (named(roles, request, namespace) && named(roleBindings, request, namespace)) return undefined;
  return (await isNamespaceThere(client, namespace, signal)) ? undefined : namespace;
}

/** Bindings first: a role that nobody is bound to gives nothing. */
async function removeStale(
  client: Client,
  request: Request,
  held: Holdings,
  { clusterRole, role }: WantedRules,
  signal: AbortSignal,
): Promise<void> {
  const isWanted = {
    cluster: (each: Stored<KubeObject>) => clusterRole !== undefined && !!named([each], request),
    inNamespace: (each: Stored<KubeObject>) => role !== undefined && !!named([each], request, role.namespace),
  };
  const stale = {
    clusterRoleBindings: held.clusterRoleBindings.filter((each) => !isWanted.cluster(each)),
    roleBindings: held.roleBindings.filter((each) => !isWanted.inNamespace(each)),
    clusterRoles: held.clusterRoles.filter((each) => !isWanted.cluster(each)),
    roles: held.roles.filter((each) => !isWanted.inNamespace(each)),
  };
  for (const each of stale.clusterRoleBindings) await deleteChild(client, ClusterRoleBindings, each, { signal });
  for (const each of stale.roleBindings) await deleteChild(client, RoleBindings, each, { signal });
  for (const each of stale.clusterRoles) await deleteChild(client, ClusterRoles, each, { signal });
  for (const each of stale.roles) await deleteChild(client, Roles, each, { signal });
}
