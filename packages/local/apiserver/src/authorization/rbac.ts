/**
 * Who may do what, by Roles and their bindings: everything that is not allowed is refused. The bindings of each user and
 * group are kept at hand, and made anew after any of them has changed.
 */
import { makeKey } from "@berg/apimachinery";
import { mastersGroup, type User } from "../authentication/user.ts";
import type { AnyStoredObject } from "../registry/resource.ts";
import type { RequestInfo } from "../requests/request-info.ts";
import { Compacted, type Cursor, type Store, type Table } from "../storage/table.ts";
import { allows, type PolicyRule } from "./rules.ts";

export interface Verdict {
  allowed: boolean;
  /** Which binding allows it; or what kept a binding from being looked at. */
  reason: string;
}

interface RoleRef {
  kind: string;
  name: string;
}

interface Subject {
  kind: string;
  name: string;
  namespace?: string;
}

interface Binding {
  /** `""` of a ClusterRoleBinding. */
  namespace: string;
  roleRef: RoleRef;
  /** Which of its subjects the user is. */
  subject: Subject;
  name: string;
}

const group = "rbac.authorization.k8s.io";

export class Rbac {
  readonly #roles: Table;
  readonly #clusterRoles: Table;
  readonly #bindings: Followed[];
  #bySubject = new Map<string, Binding[]>();

  constructor(store: Store) {
    this.#roles = store.table(`roles.${group}`);
    this.#clusterRoles = store.table(`clusterroles.${group}`);
    this.#bindings = ["clusterrolebindings", "rolebindings"].map(
      (name) => new Followed(store.table(`${name}.${group}`)),
    );
  }

  authorize(user: User, info: RequestInfo): Verdict {
    if (user.groups.includes(mastersGroup)) return { allowed: true, reason: "" };
    const problems: string[] = [];
    const namespace = info.isResource ? info.namespace : "";
    for (const { binding, rules, problem } of this.#rulesOf(user, namespace)) {
      if (problem) problems.push(problem);
      else if (rules.some((rule) => allows(rule, info))) {
        return { allowed: true, reason: `RBAC: allowed by ${describe(binding)}` };
      }
    }
    return { allowed: false, reason: problems.length === 0 ? "" : `RBAC: ${joined(problems)}` };
  }

  /** All that a user may do in a namespace; `""` for what holds everywhere. */
  rulesFor(user: User, namespace: string): PolicyRule[] {
    return [...this.#rulesOf(user, namespace)].flatMap(({ rules }) => rules);
  }

  /** Of a role that a binding of this namespace names; undefined where there is none. */
  rulesOfRole({ kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | undefined {
    const role = kind === "ClusterRole" ? this.#clusterRoles.get(name) : this.#roles.get(makeKey(namespace, name));
    return role && ((role as { rules?: PolicyRule[] | null }).rules ?? []);
  }

  *#rulesOf(user: User, namespace: string) {
    for (const binding of this.#bindingsOf(user)) {
      if (binding.namespace !== "" && binding.namespace !== namespace) continue;
      const rules = this.rulesOfRole(binding.roleRef, binding.namespace);
      const { kind, name } = binding.roleRef;
      const problem = rules ? undefined : `${kind.toLowerCase()}.${group} "${name}" not found`;
      yield { binding, rules: rules ?? [], problem };
    }
  }

  /** Those of the whole cluster first, each in the order of their names. */
  #bindingsOf({ name, groups }: User): Binding[] {
    if (this.#bindings.map((followed) => followed.hasChanged()).some(Boolean)) this.#index();
    const keys = [subjectKey("User", name), ...groups.map((one) => subjectKey("Group", one))];
    const found = keys.flatMap((key) => this.#bySubject.get(key) ?? []);
    // One who is named twice by a binding has it once.
    const unique = new Map(found.map((binding) => [`${binding.namespace}/${binding.name}`, binding]));
    return [...unique].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, binding]) => binding);
  }

  #index(): void {
    this.#bySubject = new Map();
    for (const { table } of this.#bindings) {
      for (const binding of table.list().items) this.#add(binding as AnyStoredObject);
    }
  }

  #add(object: AnyStoredObject): void {
    const { name, namespace = "" } = object.metadata;
    const roleRef = object.roleRef as RoleRef;
    for (const subject of (object.subjects as Subject[] | undefined | null) ?? []) {
      const key = keyOfSubject(subject, namespace);
      if (key === undefined) continue;
      const known = this.#bySubject.get(key) ?? [];
      known.push({ name, namespace, roleRef, subject });
      this.#bySubject.set(key, known);
    }
  }
}

/** Tells whether anything has changed since it was last asked. */
class Followed {
  readonly table: Table;
  #cursor: Cursor | undefined;

  constructor(table: Table) {
    this.table = table;
  }

  hasChanged(): boolean {
    try {
      let changed = this.#cursor === undefined;
      this.#cursor ??= this.table.watch(this.table.list().revision);
      while (this.#cursor.next()) changed = true;
      return changed;
    } catch (error) {
      if (!(error instanceof Compacted)) throw error;
      this.#cursor?.close();
      this.#cursor = undefined;
      return this.hasChanged();
    }
  }
}

function subjectKey(kind: string, name: string): string {
  return `${kind} ${name}`;
}

/** A service account is the user of that name. One without a namespace is meant in the binding's own. */
function keyOfSubject({ kind, name, namespace }: Subject, bindingNamespace: string): string | undefined {
  if (kind === "User" || kind === "Group") return subjectKey(kind, name);
  const home = namespace || bindingNamespace;
  if (kind !== "ServiceAccount" || home === "") return undefined;
  return subjectKey("User", `system:serviceaccount:${home}:${name}`);
}

function describe({ namespace, name, roleRef, subject }: Binding): string {
  const binding = namespace === "" ? `ClusterRoleBinding "${name}"` : `RoleBinding "${name}/${namespace}"`;
  const home = subject.kind === "ServiceAccount" ? `/${subject.namespace || namespace}` : "";
  return `${binding} of ${roleRef.kind} "${roleRef.name}" to ${subject.kind} "${subject.name}${home}"`;
}

function joined(problems: string[]): string {
  const texts = [...new Set(problems)];
  return texts.length === 1 ? (texts[0] as string) : `[${texts.join(", ")}]`;
}
