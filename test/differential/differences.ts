/** Differences that are known and stay for a reason, each matched as narrowly as can be. A script ends where one is met. */
import type { Found } from "./play.ts";
import { type Step, types } from "./step.ts";

interface KnownDifference {
  readonly why: string;
  matches(found: Found): boolean;
}

const known: readonly KnownDifference[] = [
  {
    why: "pods/resize is not offered, and says so",
    matches: ({ step, ours }) => step.path.includes("/resize") && ours.code === 501,
  },
  {
    why: "a Service without a name is refused for that, and not for the record of its address that could not be named",
    matches: ({ real }) => messageOf(real).includes("spec.parentRef.name: Required value"),
  },
  {
    why: "an immutable ConfigMap or Secret may be told again that it has none of what it has none of",
    matches: ({ step, real }) =>
      messageOf(real).includes("field is immutable when `immutable` is set") &&
      /\{\}|:null/.test(JSON.stringify(step.body)),
  },
  {
    why: "a secret that is no JSON is refused without the character of it that shows this",
    matches: ({ ours, differences }) =>
      messageOf(ours).includes("it is not valid JSON") && differences.every(({ path }) => path.endsWith("message")),
  },
  {
    why: "after an update of its own, Kubernetes no longer knows which version a deletion was about",
    matches: ({ step, real }) =>
      step.method === "DELETE" && messageOf(real).includes("ResourceVersion in precondition: , "),
  },
  {
    why: "of a custom object without a name it is not said that rules were not looked at",
    matches: ({ step, ours }) =>
      step.path.includes("/gadgets") && messageOf(ours).includes("metadata.name: Required value: name or generateName"),
  },
  {
    why: "what a PUT would create shows no version when it is only tried",
    matches: ({ step, differences }) =>
      step.method === "PUT" &&
      step.path.includes("dryRun=All") &&
      differences.every(({ path }) => /metadata\.resourceVersion$|^order of versions/.test(path)),
  },
  {
    why: "of a new PodDisruptionBudget all that is wrong is told at once, and not its metadata only when the rest is right",
    matches: ({ step, real, ours }) =>
      step.path.includes("/poddisruptionbudgets") &&
      [real, ours].every(({ code }) => code === 422) &&
      messageOf(ours).includes("metadata."),
  },
  {
    why: "the status of a Service that is not there cannot be written; there this makes a Service without an address",
    matches: ({ step, ours }) => step.path.includes("/services/") && step.path.includes("/status") && ours.code === 404,
  },
  {
    why: "labels that were said to be none are shown as none, and not as an empty map",
    matches: ({ real, ours }) => labelsShown(real) === labelsShown(ours) && messageOf(real) !== messageOf(ours),
  },
  {
    why: "an object inside of a custom one that is applied without saying what it is gets the answer of one that is created",
    matches: ({ step, ours }) =>
      step.type === types.apply && /cannot be handled as a Gadget: spec\.template\./.test(messageOf(ours)),
  },
  {
    why: "what is wrong with a value of a strategic patch is told in the words in which it is told of JSON",
    matches: ({ step, real, ours }) =>
      step.type === types.strategic && patchShown(real) !== undefined && patchShown(real) === patchShown(ours),
  },
  {
    why: "a key of the wrong type is shown in another way in the path of an item that is applied",
    matches: ({ real, ours }) =>
      withoutKeys(real) === withoutKeys(ours) && messageOf(real).includes("typed patch object"),
  },
  {
    why: "a namespace that is deleted with orphanDependents=false is not marked for a deletion in the foreground",
    matches: ({ step, differences }) =>
      step.method === "DELETE" &&
      step.path.startsWith("/api/v1/namespaces/{ns}") &&
      differences.every(({ path }) => path.startsWith("body.metadata.finalizers")) &&
      (step.body as { orphanDependents?: unknown } | undefined)?.orphanDependents === false,
  },
  {
    why: "some requests make Kubernetes panic, and it hangs up",
    matches: ({ real }) => real.code === 0 && real.body === "hung up",
  },
  {
    why: "of several values of the wrong type that a patch makes, another one is told",
    matches: ({ step, real, ours, differences }) =>
      step.method === "PATCH" &&
      [real, ours].every((side) => wrongValue.test(messageOf(side))) &&
      differences.every(({ path }) => path.endsWith("message")),
  },
  {
    why: "a directive in an element that is new is not taken for a field of it",
    matches: ({ step, real }) =>
      step.type === types.strategic && /\.\$(patch|retainKeys)"/.test([messageOf(real), ...real.warnings].join()),
  },
  {
    why: "the address of a Service that is only tried is looked for as that of any other is",
    matches: ({ step, ours, differences }) =>
      step.path.includes("/services") &&
      step.path.includes("dryRun=All") &&
      (differences.every(({ path }) => /clusterIP|resourceVersion$|^order of versions/.test(path)) ||
        messageOf(ours).includes("failed to allocate IP")),
  },
  {
    why: "of several fields that a kind does not have, another one is told",
    matches: ({ real, ours }) => [real, ours].every((side) => messageOf(side).endsWith("field not declared in schema")),
  },
  {
    why: "bytes that are null are none, and not other ones than none",
    matches: ({ step, differences }) =>
      step.type === types.json &&
      JSON.stringify(step.body).includes("ata/") &&
      differences.every(({ path }) => /metadata\.resourceVersion$|^order of versions/.test(path)),
  },
  {
    why: "the number of a custom object can be applied through its scale; there that fails when it changes",
    matches: ({ real }) =>
      messageOf(real).includes("request to convert CR to an invalid group/version: autoscaling/v1"),
  },
  {
    why: "what is wrong with a scale of a custom kind is told, and not that scales are none of its kinds",
    matches: ({ real }) => messageOf(real).startsWith("no kind is registered for the type v1.Scale"),
  },
  {
    why: "a scale is no table, and is always the newest",
    matches: ({ step }) =>
      step.method === "GET" &&
      step.path.includes("/scale") &&
      (step.path.includes("resourceVersion=") || step.accept !== undefined),
  },
  {
    why: "where a write is only tried, the place of an object in etcd is told from another root",
    matches: ({ step, real, ours }) =>
      step.path.includes("dryRun=All") && messageOf(ours).replace("Key: /registry/", "Key: /") === messageOf(real),
  },
  {
    why: "a null in the place of a merge key is no key",
    matches: ({ step, ours }) =>
      step.type === types.strategic &&
      JSON.stringify(step.body).includes('"name":null') &&
      messageOf(ours).includes("does not contain declared merge key"),
  },
  {
    why: "the finalizers of a namespace that is deleted are put in no order there",
    matches: ({ step, real, ours, differences }) =>
      step.method === "DELETE" &&
      differences.every(({ path }) => path.startsWith("body.metadata.finalizers")) &&
      finalizersOf(real) === finalizersOf(ours),
  },
  {
    why: "of items without a key that are there before the first apply it is not said where they are",
    matches: ({ step, real, ours }) =>
      step.type === types.apply &&
      messageOf(real).startsWith("failed to create manager for existing fields") &&
      messageOf(ours).startsWith("failed to create typed live object"),
  },
  {
    why: "a number that is too large for its field is refused when it is applied, and not taken for another one",
    matches: ({ step, ours }) =>
      step.type === types.apply && /^failed to convert .* cannot unmarshal number \d+ into/.test(messageOf(ours)),
  },
  {
    why: "a strategic patch that is refused is shown as it was sent, and not without the nulls of what it would add",
    matches: ({ step, ours, real }) =>
      step.type === types.strategic &&
      messageOf(real) !== messageOf(ours) &&
      messageOf(real) === messageOf(ours).replace(/ ?[^ :[\]]+:<nil>/g, ""),
  },
  {
    why: "a pull secret without a name cannot be applied",
    matches: ({ ours }) => messageOf(ours).includes("imagePullSecrets: element"),
  },
  {
    why: "where a value has the wrong type, Go's name of the right one is sometimes another in the text",
    matches: ({ real, ours, differences }) =>
      differences.every(({ path }) => path.endsWith("message")) && withoutGoTypes(real) === withoutGoTypes(ours),
  },
  {
    why: "an apply that says of a custom object that it has no annotations stores just that, so that the next write of anybody is a new version",
    matches: ({ steps, at, differences }) =>
      differences.every(
        ({ path, real }) =>
          /metadata\.resourceVersion$|^order of versions/.test(path) || ["{}", "[]"].includes(JSON.stringify(real)),
      ) && steps.slice(0, at + 1).some(appliesNothing),
  },
];

const wrongValue =
  /"<the object>": (json: cannot unmarshal |illegal base64|parsing time )|^failed to convert new object /;

function withoutGoTypes(masked: Found["real"]): string {
  return messageOf(masked)
    .replace(/cannot unmarshal \w+ into Go struct field \w*(\.[\w.]+ of type )[\w.[\]]+/, "$1")
    .replace(/(ProbeHandler|LifecycleHandler|VolumeSource)\./g, "");
}

/** `Invalid value: "map[data:map[extra:true]]": unrecognized type: string`, without what is wrong. */
function patchShown(masked: Found["real"]): string | undefined {
  return /^.*patch: Invalid value: "map\[.*\]"(?=: )/s.exec(messageOf(masked))?.[0].replace(/\$patch:\w+ ?/g, "");
}

function withoutKeys(masked: Found["real"]): string {
  return messageOf(masked).replace(/\[\w+=[^\]]*\]/g, "[]");
}

function labelsShown(masked: Found["real"]): string {
  return messageOf(masked).replace("Invalid value: {}: `selector`", "Invalid value: null: `selector`");
}

function finalizersOf({ body }: Found["real"]): string {
  const { metadata } = (body ?? {}) as { metadata?: { finalizers?: string[] } };
  return (metadata?.finalizers ?? []).toSorted().join();
}

function appliesNothing({ path, type, body }: Step): boolean {
  const { metadata = {} } = (body ?? {}) as { metadata?: Record<string, unknown> | null };
  const isNothing = (value: unknown) => typeof value === "object" && value !== null && Object.keys(value).length === 0;
  return path.includes("/gadgets/") && type === types.apply && Object.values(metadata ?? {}).some(isNothing);
}

function messageOf({ body }: Found["real"]): string {
  return String((body as { message?: unknown } | undefined)?.message ?? "");
}

export function knownReason(found: Found): string | undefined {
  return known.find((difference) => difference.matches(found))?.why;
}
