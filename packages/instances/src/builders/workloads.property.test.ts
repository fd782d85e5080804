/** What holds of the workload of any Challenge. */
import type { Deployment } from "@berg/kube";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Blueprint, Child, Manifest } from "./blueprint.ts";
import { endpointEnv } from "./endpoints.ts";
import { flagObjects } from "./flag-objects.ts";
import { anyBlueprint, canary } from "./testing/any-blueprint.ts";
import { workloads } from "./workloads.ts";

const build = (blueprint: Blueprint): Child[] => [
  ...flagObjects(blueprint),
  ...workloads(blueprint, endpointEnv(blueprint)),
];

/** Every text and every name in an object, with where it stands. */
function* texts(value: unknown, path: string): Generator<{ path: string; text: string }> {
  if (typeof value === "string") yield { path, text: value };
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    yield { path: `${path} (name)`, text: name };
    yield* texts(inner, `${path}.${name}`);
  }
}

const hidden = [canary, canary.replaceAll("$", "$$$$")];
const tells = (text: string) =>
  [text, Buffer.from(text, "base64").toString()].some((readable) => hidden.some((flag) => readable.includes(flag)));

function leaksOf(children: Child[]): string[] {
  const everywhere = children.flatMap(({ type, manifest }) => [
    ...texts(manifest, `${type.kind} ${manifest.metadata.name}`),
  ]);
  return everywhere.filter(({ text }) => tells(text)).map(({ path }) => path);
}

/** Where the flag may be read. A program holds it too, but not for reading. */
function allowedPlaces({ workload, settings }: Blueprint, children: Child[]): string[] {
  const wants = (way: "env" | "content") => workload.containers.filter(({ dynamicFlag }) => dynamicFlag?.[way]);
  const inEnv = wants("env").map(({ hostname }) => {
    const last = (containerIn(children, hostname)?.env ?? []).length - 1;
    return `Deployment ${hostname}.spec.template.spec.containers.0.env.${last}.value`;
  });
  const data = settings.flagStorage === "Secret" ? "Secret flag-content.data" : "ConfigMap flag-content.binaryData";
  return wants("content").length > 0 ? [`${data}.content`, ...inEnv] : inEnv;
}

function containerIn(children: Child[], hostname: string) {
  const deployments = children.filter(({ type }) => type.kind === "Deployment").map(({ manifest }) => manifest);
  const deployment = deployments.find(({ metadata }) => metadata.name === hostname) as Manifest<Deployment> | undefined;
  return deployment?.spec?.template.spec?.containers[0];
}

test("the flag stands where a container asked for it, and nowhere else", () => {
  fc.assert(
    fc.property(anyBlueprint, (blueprint) => {
      const children = build(blueprint);
      expect(leaksOf(children).sort()).toEqual(allowedPlaces(blueprint, children).sort());
    }),
  );
});

test("no pod gets more of its node than a container should, whatever the author writes", () => {
  fc.assert(
    fc.property(anyBlueprint, (blueprint) => {
      for (const { type, manifest } of build(blueprint)) {
        expect(JSON.stringify((manifest as Manifest<Deployment>).spec ?? {}, withoutProbes)).not.toMatch(
          /"(host(Network|PID|IPC|Path|Port|Users|Aliases)|serviceAccount(Name)?|fsGroup)":/,
        );
        if (type.kind !== "Deployment") continue;
        const pod = (manifest as Manifest<Deployment>).spec?.template.spec;
        expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
        expect(pod?.containers.map(({ securityContext }) => securityContext?.privileged)).toEqual([false]);
      }
    }),
  );
});

test("equal blueprints give equal objects, whatever the order of their fields", () => {
  fc.assert(
    fc.property(anyBlueprint, (blueprint) => {
      expect(build(reversed(blueprint))).toStrictEqual(build(blueprint));
    }),
  );
});

test("an object is plain JSON: nothing of it is lost on the way", () => {
  fc.assert(
    fc.property(anyBlueprint, (blueprint) => {
      const manifests = build(blueprint).map(({ manifest }) => manifest);
      expect(JSON.parse(JSON.stringify(manifests))).toStrictEqual(manifests);
    }),
  );
});

test("no list has one key twice, which the server would refuse to apply", () => {
  fc.assert(
    fc.property(anyBlueprint, (blueprint) => {
      for (const { manifest } of build(blueprint)) {
        const [container] = (manifest as Manifest<Deployment>).spec?.template?.spec?.containers ?? [];
        const ports = container?.ports ?? [];
        expectUnique(container?.env?.map(({ name }) => name) ?? []);
        expectUnique(ports.map(({ containerPort, protocol }) => `${containerPort}/${protocol}`));
        expectUnique(ports.flatMap(({ name }) => name ?? []));
      }
    }),
  );
});

// What an author can put into a probe, nonsense included, is nothing but a probe to the server.
const withoutProbes = (field: string, value: unknown) => (field.endsWith("Probe") ? undefined : value);

function expectUnique(items: string[]): void {
  expect(items).toHaveLength(new Set(items).size);
}

function reversed<T>(value: T): T {
  if (Array.isArray(value)) return value.map(reversed) as T;
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([name, inner]) => [name, reversed(inner)])) as T;
}
