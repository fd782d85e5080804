/** Storage classes: kinds of volumes that can be had. Nothing here makes volumes. */
import { jsonEqual } from "@berg/apimachinery";
import { duplicate, type FieldError, invalid, notSupported, required, tooLong } from "../../errors/field-error.ts";
import { sortedJson } from "../../registry/json.ts";
import { qualifiedNameProblems } from "../../schema/metadata/names.ts";
import { builtIn, inStoredForm } from "../built-in.ts";
import { ageColumn, column, nameColumn, textAt } from "../columns.ts";
import { always, atomicObject, bool, choice, kept, list, mapOf, object, text } from "../shapes.ts";

interface Term {
  matchLabelExpressions?: { key: string; values: string[] | null }[];
}

interface StorageClass {
  provisioner: string;
  parameters?: Record<string, string>;
  reclaimPolicy: string;
  volumeBindingMode: string;
  allowVolumeExpansion?: boolean;
  allowedTopologies?: Term[];
}

const schema = object(
  {
    provisioner: always(text()),
    parameters: mapOf(text()),
    reclaimPolicy: kept(choice("Delete", "Recycle", "Retain")),
    mountOptions: list(text()),
    allowVolumeExpansion: kept(bool()),
    volumeBindingMode: kept(choice("Immediate", "WaitForFirstConsumer")),
    allowedTopologies: list(
      atomicObject({
        matchLabelExpressions: list(object({ key: always(text()), values: always(list(text())) }, ["key", "values"])),
      }),
    ),
  },
  ["provisioner"],
);

const isDefault = ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];
const mostParameters = 512;
const mostParameterBytes = 256 * 1024;

export const storageClasses = builtIn({
  group: "storage.k8s.io",
  resource: "storageclasses",
  kind: "StorageClass",
  namespaced: false,
  shortNames: ["sc"],
  schema,
  columns: [
    {
      ...nameColumn,
      value: ({ metadata: { name, annotations = {} } }) =>
        isDefault.some((key) => annotations[key] === "true") ? `${name} (default)` : name,
    },
    column("Provisioner", "Who makes the volumes.", (object) => textAt(object, "provisioner")),
    column("ReclaimPolicy", "What becomes of them.", (object) => textAt(object, "reclaimPolicy") || "Delete"),
    column("VolumeBindingMode", "When they are made.", (object) => textAt(object, "volumeBindingMode") || "Immediate"),
    column("AllowVolumeExpansion", "Whether they may grow.", (object) => object.allowVolumeExpansion === true),
    ageColumn,
  ],
  strategy: {
    fillIn: inStoredForm(schema, (draft) => {
      const storageClass = draft as unknown as StorageClass;
      storageClass.reclaimPolicy ??= "Delete";
      storageClass.volumeBindingMode ??= "Immediate";
    }),
    validate: (object, old) => [
      ...classErrors(object as unknown as StorageClass),
      ...(old ? changeErrors(object, old) : []),
    ],
  },
});

/** Of one term: all of them say the same. */
const mostDuplicates = 10;

function classErrors(storageClass: StorageClass): FieldError[] {
  const { provisioner, parameters = {}, reclaimPolicy, volumeBindingMode, allowedTopologies = [] } = storageClass;
  const errors: FieldError[] = [];
  const name = provisioner.toLowerCase();
  if (name === "") errors.push(required("provisioner"));
  else errors.push(...qualifiedNameProblems(name).map((problem) => invalid("provisioner", name, problem)));
  errors.push(...parameterErrors(parameters));
  const [policies, modes] = [
    ["Delete", "Retain"],
    ["Immediate", "WaitForFirstConsumer"],
  ];
  if (reclaimPolicy !== "" && !policies.includes(reclaimPolicy))
    errors.push(notSupported("reclaimPolicy", reclaimPolicy, policies));
  if (!modes.includes(volumeBindingMode)) errors.push(notSupported("volumeBindingMode", volumeBindingMode, modes));
  // Kubernetes compares each term with as many empty ones as there are terms, too.
  const times = new Map([[meaning({}), allowedTopologies.length]]);
  const ofTerms = allowedTopologies.flatMap((term, i) => {
    const key = meaning(term);
    const before = times.get(key) ?? 0;
    times.set(key, before + 1);
    return termErrors(term, i, Math.min(before, mostDuplicates));
  });
  return [...errors, ...ofTerms];
}

function parameterErrors(parameters: Record<string, string>): FieldError[] {
  const entries = Object.entries(parameters);
  if (entries.length > mostParameters) return [tooLong("parameters", mostParameters)];
  const errors = entries.flatMap(([key]) =>
    key === "" ? [invalid("parameters", key, "field can not be empty.")] : [],
  );
  const size = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return size > mostParameterBytes ? [...errors, tooLong("parameters", mostParameterBytes)] : errors;
}

function termErrors({ matchLabelExpressions = [] }: Term, index: number, duplicates: number): FieldError[] {
  const at = `allowedTopologies[${index}].matchLabelExpressions`;
  const keys = new Set<string>();
  const errors = matchLabelExpressions.flatMap(({ key, values }, i) => {
    const own: FieldError[] = [];
    if (!values?.length) own.push(required(`${at}[${i}].values`));
    const known = new Set<string>();
    for (const [j, value] of (values ?? []).entries())
      if (known.has(value)) own.push(duplicate(`${at}[${i}].values[${j}]`, value));
      else known.add(value);
    own.push(...qualifiedNameProblems(key).map((problem) => invalid(`${at}[${i}].key`, key, problem)));
    if (keys.has(key)) own.push(duplicate(`${at}[${i}].key`, key));
    keys.add(key);
    return own;
  });
  return [...errors, ...Array.from({ length: duplicates }, () => duplicate(at, ""))];
}

/** The same for terms that select the same. */
function meaning({ matchLabelExpressions = [] }: Term): string {
  return sortedJson(
    Object.fromEntries(matchLabelExpressions.map(({ key, values }) => [key, [...(values ?? [])].sort()])),
  );
}

function changeErrors(object: Record<string, unknown>, old: Record<string, unknown>): FieldError[] {
  return ["parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"]
    .filter((field) => !jsonEqual(object[field] ?? null, old[field] ?? null))
    .map((field) => invalid(field, object[field], "field is immutable"));
}
