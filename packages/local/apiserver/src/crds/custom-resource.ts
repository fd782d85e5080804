/** From a CustomResourceDefinition to the resources that are served for it: one for each version. */
import { byPriority } from "../discovery/groups.ts";
import type { AnyObject, ServedResource, Subresource } from "../registry/resource.ts";
import type { Verb } from "../requests/request-info.ts";
import type { Schema } from "../schema/schema.ts";
import { columnsOf } from "./columns.ts";
import { customStrategy } from "./custom-strategy.ts";
import { type Definition, isTrue, type Names, type Version, versionsOf } from "./definition.ts";
import { compileJsonPath } from "./json-path.ts";

const allVerbs: Verb[] = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
/** Of what is going: what is there can still be changed, so that finalizers can be taken away. */
const ending: Pick<ServedResource, "shownVerbs" | "takesNothingNew"> = {
  shownVerbs: ["delete", "deletecollection", "get", "list", "watch"],
  takesNothingNew: "create not allowed while custom resource definition is terminating",
};

const anything: Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

export function servedResourcesOf(definition: Definition): ServedResource[] {
  const { group, names } = definition.spec;
  const versions = versionsOf(definition.spec);
  const storage = versions.find((version) => version.storage);
  return versions
    .filter((version) => version.served)
    .map((version) => servedResource(definition, version, `${group}/${storage?.name}`, `${names.plural}.${group}`));
}

function servedResource(
  definition: Definition,
  version: Version,
  storedVersion: string,
  storedAs: string,
): ServedResource {
  const { group, scope } = definition.spec;
  const names = acceptedNames(definition);
  const schema = version.schema?.openAPIV3Schema ?? anything;
  return {
    group,
    version: version.name,
    resource: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    kind: names.kind,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: scope === "Namespaced",
    verbs: allVerbs,
    ...(isTrue(definition, "Terminating") && ending),
    ...(version.deprecated && { deprecation: deprecationOf(definition, version) }),
    storedAs,
    storedVersion,
    schema: withoutMetadata(schema),
    columns: columnsOf(version),
    selectableFields: selectableFieldsOf(version),
    strategy: customStrategy(version, schema),
    subresources: subresourcesOf(version),
  };
}

/** Unless the author says it better: which newer version there is. */
function deprecationOf({ spec: { group, names, versions } }: Definition, version: Version): string {
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const text = `${group}/${version.name} ${names.kind} is deprecated`;
  const [newest] = (versions ?? [])
    .filter(({ name, served, deprecated }) => served && !deprecated && byPriority(name, version.name) < 0)
    .sort((one, other) => byPriority(one.name, other.name));
  return newest ? `${text}; use ${group}/${newest.name} ${names.kind}` : text;
}

/** Names that are in conflict are not served. */
function acceptedNames({ spec, status }: Definition): Names {
  const accepted = Object.entries(status?.acceptedNames ?? {}).filter(([, name]) => name !== "");
  return { ...spec.names, ...Object.fromEntries(accepted) };
}

/** Every object has it, and it is read elsewhere. */
function withoutMetadata(schema: Schema): Schema {
  if (!schema.properties) return schema;
  const { apiVersion: _, kind: __, metadata: ___, ...properties } = schema.properties;
  return { ...schema, properties };
}

function selectableFieldsOf({ selectableFields = [] }: Version): ServedResource["selectableFields"] {
  return Object.fromEntries(
    selectableFields.map(({ jsonPath }) => {
      const find = compileJsonPath(jsonPath) ?? (() => undefined);
      const value = (object: AnyObject): string => {
        const found = find(object);
        return found === undefined || found === null ? "" : String(found);
      };
      return [jsonPath.replace(/^\./, ""), value];
    }),
  );
}

function subresourcesOf({ subresources }: Version): Record<string, Subresource> {
  const paths = subresources?.scale;
  if (!paths) return {};
  return { scale: { group: "autoscaling", version: "v1", kind: "Scale", verbs: ["get", "patch", "update"], paths } };
}
