/** I5: the flag of an instance is where its container finds it, and nowhere else. */
import type { KubeObject } from "@berg/apimachinery";
import { components, labels } from "@berg/resources";
import { type Invariant, isInstance, nameOf, revisionOf, type Violation } from "./record.ts";

/** Shorter ones occur by chance. */
const shortestCanary = 8;

export const secrecy: Invariant = ({ changes, output }) => {
  const flags = new Set(changes.filter(isInstance).map(({ object }) => object.spec.flag ?? ""));
  const forms = [...flags].filter((flag) => flag.length >= shortestCanary).flatMap(formsOf);
  if (forms.length === 0) return [];
  const violations: Violation[] = [];
  const look = (where: string, text: string) => {
    const found = forms.find(({ form }) => text.includes(form));
    if (found) violations.push({ invariant: "I5 flag secrecy", text: `a flag (${found.how}) is in ${where}` });
  };
  for (const change of changes) {
    const { metadata, ...rest } = change.object;
    const where = `${nameOf(change)} at revision ${revisionOf(change)}`;
    look(`the metadata of ${where}`, JSON.stringify(metadata));
    look(where, JSON.stringify(withoutAllowed({ metadata, ...rest })));
  }
  for (const line of output) look(`the output: ${line.slice(0, 60)}…`, line);
  return violations;
};

/** As a flag may stand in JSON, a URL, a dump or a Secret. */
export function formsOf(flag: string): { form: string; how: string }[] {
  const bytes = Buffer.from(flag, "utf8");
  const escaped = JSON.stringify(flag).slice(1, -1);
  return [
    { form: flag, how: "as it is" },
    { form: escaped, how: "escaped" },
    { form: JSON.stringify(escaped).slice(1, -1), how: "escaped twice" },
    { form: encodeURIComponent(flag), how: "in a URL" },
    { form: bytes.toString("hex"), how: "in hex" },
    ...[0, 1, 2].map((offset) => ({ form: base64Core(bytes, offset), how: "in base64" })),
  ];
}

// What base64 makes of the bytes wherever they stand in something longer: without the ends, which depend on what is around.
function base64Core(bytes: Buffer, offset: number): string {
  const whole = Buffer.concat([Buffer.alloc(offset), bytes]);
  const text = whole.subarray(0, whole.length - (whole.length % 3)).toString("base64");
  return text.slice(offset === 0 ? 0 : 4);
}

type Json = Record<string, unknown>;

function withoutAllowed(object: KubeObject): unknown {
  const { metadata: _, ...body } = object as KubeObject & Json;
  switch (object.kind) {
    case "ChallengeInstance":
      return { ...body, spec: { ...(body.spec as Json), flag: undefined } };
    case "ConfigMap":
    case "Secret":
      return isFlagFile(object) ? { ...body, data: undefined, binaryData: undefined } : body;
    case "Pod":
      return { ...body, spec: withoutEnvValues(body.spec as Json) };
    case "Deployment":
    case "ReplicaSet": {
      const spec = body.spec as Json & { template: Json };
      return {
        ...body,
        spec: { ...spec, template: { ...spec.template, spec: withoutEnvValues(spec.template.spec as Json) } },
      };
    }
    default:
      return body;
  }
}

function isFlagFile({ metadata }: KubeObject): boolean {
  const component = metadata.labels?.[labels.component];
  return component === components.flagContent || component === components.flagExecutable;
}

function withoutEnvValues(spec: Json): Json {
  const containers = (spec.containers as (Json & { env?: Json[] })[] | undefined) ?? [];
  const withNames = containers.map(({ env, ...container }) => ({ ...container, env: env?.map(({ name }) => name) }));
  return { ...spec, containers: withNames };
}
