/** Role bindings and cluster role bindings: who may do what a role says. */
import { jsonEqual } from "@berg/apimachinery";
import { type FieldError, invalid, notSupported, required } from "../../errors/field-error.ts";
import type { Column, ServedResource } from "../../registry/resource.ts";
import { pathSegmentProblems, subdomainProblems } from "../../schema/metadata/names.ts";
import { builtIn, inStoredForm } from "../built-in.ts";
import { ageColumn, column, nameColumn } from "../columns.ts";
import { always, atomicObject, list, object, text } from "../shapes.ts";
import { rbacGroup } from "./roles.ts";

interface Subject {
  kind: string;
  name: string;
  apiGroup?: string;
  namespace?: string;
}

interface Binding {
  subjects?: Subject[];
  roleRef: { apiGroup: string; kind: string; name: string };
}

const schema = object(
  {
    subjects: list(
      atomicObject({ kind: always(text()), apiGroup: text(), name: always(text()), namespace: text() }, [
        "kind",
        "name",
      ]),
    ),
    roleRef: always(
      atomicObject({ apiGroup: always(text()), kind: always(text()), name: always(text()) }, ["kind", "name"]),
    ),
  },
  ["roleRef"],
);

const columns: readonly Column[] = [
  nameColumn,
  column("Role", "What may be done.", (object) => {
    const { kind, name } = (object as unknown as Binding).roleRef;
    return `${kind}/${name}`;
  }),
  ageColumn,
  subjectColumn("Users", "User"),
  subjectColumn("Groups", "Group"),
  subjectColumn("ServiceAccounts", "ServiceAccount"),
];

export const roleBindings = bindings("rolebindings", "RoleBinding", true);
export const clusterRoleBindings = bindings("clusterrolebindings", "ClusterRoleBinding", false);

function bindings(resource: string, kind: string, namespaced: boolean): ServedResource {
  return builtIn({
    group: rbacGroup,
    resource,
    kind,
    namespaced,
    schema,
    columns,
    strategy: {
      createsOnUpdate: true,
      fillIn: inStoredForm(schema, (draft) => {
        const { roleRef, subjects = [] } = draft as unknown as Binding;
        if (roleRef.apiGroup === "") roleRef.apiGroup = rbacGroup;
        for (const subject of subjects)
          if (subject.kind === "User" || subject.kind === "Group") subject.apiGroup ??= rbacGroup;
      }),
      validate(object, old) {
        const binding = object as unknown as Binding;
        const errors = bindingErrors(binding, namespaced);
        const isMoved = old && !jsonEqual((old as unknown as Binding).roleRef, binding.roleRef);
        // Whoever could change it would give away what they do not have.
        if (isMoved) errors.push(invalid("roleRef", shownRef(binding.roleRef), "cannot change roleRef"));
        return errors;
      },
      nameProblems: pathSegmentProblems,
    },
  });
}

function subjectColumn(name: string, kind: string): Column {
  return column(
    name,
    "Who may do it.",
    (object) => {
      const { subjects = [] } = object as unknown as Binding;
      const named = subjects.filter((subject) => subject.kind === kind);
      const show = ({ namespace = "", name }: Subject) => (kind === "ServiceAccount" ? `${namespace}/${name}` : name);
      return named.map(show).join(", ");
    },
    1,
  );
}

/** As Kubernetes shows it there: with the names that its own code has for the fields. */
function shownRef({ apiGroup, kind, name }: Binding["roleRef"]): unknown {
  return { APIGroup: apiGroup, Kind: kind, Name: name };
}

function bindingErrors({ roleRef, subjects = [] }: Binding, namespaced: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (roleRef.apiGroup !== rbacGroup) errors.push(notSupported("roleRef.apiGroup", roleRef.apiGroup, [rbacGroup]));
  const kinds = namespaced ? ["Role", "ClusterRole"] : ["ClusterRole"];
  if (!kinds.includes(roleRef.kind)) errors.push(notSupported("roleRef.kind", roleRef.kind, kinds));
  if (roleRef.name === "") errors.push(required("roleRef.name"));
  else errors.push(...pathSegmentProblems(roleRef.name).map((text) => invalid("roleRef.name", roleRef.name, text)));
  return [...errors, ...subjects.flatMap((subject, i) => subjectErrors(subject, namespaced, `subjects[${i}]`))];
}

function subjectErrors(
  { kind, name, apiGroup = "", namespace }: Subject,
  namespaced: boolean,
  at: string,
): FieldError[] {
  const errors = name === "" ? [required(`${at}.name`)] : [];
  switch (kind) {
    case "ServiceAccount":
      if (name !== "") errors.push(...subdomainProblems(name).map((text) => invalid(`${at}.name`, name, text)));
      if (apiGroup !== "") errors.push(notSupported(`${at}.apiGroup`, apiGroup, [""]));
      if (!namespaced && !namespace) errors.push(required(`${at}.namespace`));
      break;
    case "User":
    case "Group":
      if (apiGroup !== rbacGroup) errors.push(notSupported(`${at}.apiGroup`, apiGroup, [rbacGroup]));
      break;
    default:
      errors.push(notSupported(`${at}.kind`, kind, ["ServiceAccount", "User", "Group"]));
  }
  return errors;
}
