import { setTimeout as delay } from "node:timers/promises";
import { defineResource, isNotFound, type KubeObject, StatusError } from "@berg/apimachinery";
import { type Client, createClient, unlimited } from "@berg/kube";
import { type ControlPlane, missingControlPlane, startControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FieldError } from "../../errors/field-error.ts";
import type { Schema } from "../schema.ts";
import { compileRules } from "./compile-rules.ts";
import { changed, created, ratcheted, shelfSchema } from "./placement.ts";
import { badRules, probedProperties, probes } from "./testing/probes.ts";

interface Crd extends KubeObject {
  spec: unknown;
}
interface Custom extends KubeObject {
  spec: Record<string, unknown>;
}

const Crds = defineResource<Crd>({
  group: "apiextensions.k8s.io",
  version: "v1",
  resource: "customresourcedefinitions",
  kind: "CustomResourceDefinition",
  namespaced: false,
});
const group = "cel.berg.test";

function crdFor(plural: string, schema: Schema) {
  const kind = `${plural[0]?.toUpperCase()}${plural.slice(1, -1)}`;
  const versions = [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }];
  const crd = {
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: "Namespaced", names: { plural, kind }, versions },
  };
  const type = defineResource<Custom>({ group, version: "v1", resource: plural, kind, namespaced: true });
  return { crd, type };
}

describe.skipIf(await missingControlPlane())("rules on a real API server and ours", () => {
  let controlPlane: ControlPlane;
  let client: Client;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ controllerManager: false, scheduler: false });
    client = createClient({ connection: controlPlane.connection, rate: unlimited });
  });

  afterAll(async () => {
    await client?.close();
    await controlPlane?.stop();
  });

  async function serve(plural: string, schema: Schema) {
    const { crd, type } = crdFor(plural, schema);
    await client.create(Crds, crd as never);
    for (;;) {
      try {
        await client.list(type, { limit: 1 });
        return type;
      } catch (error) {
        if (!isNotFound(error)) throw error;
        await delay(50);
      }
    }
  }

  const causesOf = (error: unknown): FieldError[] => {
    if (!(error instanceof StatusError) || error.reason !== "Invalid") throw error;
    return (error.status.details?.causes ?? []).map(({ reason, field, message }) => ({
      reason,
      field,
      message,
    })) as never;
  };
  const said = (write: Promise<unknown>) => write.then(() => [], causesOf);
  const sorted = (errors: FieldError[]) => errors.map((error) => JSON.stringify(error)).sort();

  test("what each expression comes to", { timeout: 120_000 }, async () => {
    const rules = [...new Set(probes.map(([rule]) => rule))];
    const perKind = 60;
    const answers: [string, unknown, string | null][] = [];
    for (let from = 0; from < rules.length; from += perKind) {
      const part = rules.slice(from, from + perKind);
      const propertyOf = (rule: string) => `p${part.indexOf(rule)}`;
      const properties = Object.fromEntries(
        part.map((rule): [string, Schema] => [
          propertyOf(rule),
          { type: "object", properties: probedProperties, "x-kubernetes-validations": [{ rule }] },
        ]),
      );
      const type = await serve(`probe${"abcdefgh"[from / perKind]}s`, {
        type: "object",
        properties: { spec: { type: "object", properties } },
      });
      for (const [rule, self] of probes.filter(([rule]) => part.includes(rule))) {
        const body = { metadata: { name: "x", namespace: "default" }, spec: { [propertyOf(rule)]: self } };
        const causes = await said(client.create(type, body as never, { dryRun: true }));
        answers.push([rule, self, causes[0]?.message ?? null]);
      }
    }
    const byRule = (answers: readonly (readonly unknown[])[]) => answers.map((each) => JSON.stringify(each)).sort();
    expect(byRule(answers)).toEqual(byRule(probes));
  });

  test("why rules are refused", { timeout: 60_000 }, async () => {
    for (const [rule, messageExpression, why] of badRules) {
      const validation = { rule, ...(messageExpression !== undefined && { messageExpression }) };
      const spec: Schema = { type: "object", properties: probedProperties, "x-kubernetes-validations": [validation] };
      const { crd } = crdFor("bads", { type: "object", properties: { spec } });
      const [cause] = await said(client.create(Crds, crd as never, { dryRun: true }));
      expect(cause?.message.slice(-why.length), rule).toBe(why);
      const path = "spec.validation.openAPIV3Schema";
      expect(compileRules({ type: "object", properties: { spec } }, path).problems[0], rule).toEqual(cause);
    }
  });

  test("where rules stand, and what was before", { timeout: 60_000 }, async () => {
    const type = await serve("shelfs", shelfSchema);
    const { rules } = compileRules(shelfSchema);
    const whole = (spec: unknown, name = "shelf") => ({
      apiVersion: `${group}/v1`,
      kind: "Shelf",
      metadata: { name, namespace: "default" },
      spec: withDefaults(spec),
    });
    for (const [name, spec] of created) {
      const real = await said(client.create(type, whole(spec, name) as never, { dryRun: true }));
      expect(sorted(rules.check(whole(spec, name))), JSON.stringify(spec)).toEqual(sorted(real));
    }
    for (const [at, [from, to]] of changed.entries()) {
      const stored = await client.create(type, whole(from, `shelf-${at}`) as never);
      const real = await said(client.update(type, { ...stored, spec: to } as never, { dryRun: true }));
      expect(sorted(rules.check(whole(to), whole(from))), JSON.stringify([from, to])).toEqual(sorted(real));
    }
  });

  test("what was there before the rules", { timeout: 60_000 }, async () => {
    const free = JSON.parse(JSON.stringify(shelfSchema), (key, value) =>
      key === "x-kubernetes-validations" ? undefined : value,
    );
    const type = await serve("olds", free);
    const stored = [];
    for (const [at, [from]] of ratcheted.entries()) {
      stored.push(
        await client.create(type, { metadata: { name: `shelf-${at}`, namespace: "default" }, spec: from } as never),
      );
    }
    const { crd } = crdFor("olds", shelfSchema);
    const current = await client.get(Crds, "", crd.metadata.name);
    await client.update(Crds, { ...current, spec: crd.spec } as never);
    const probe = { metadata: { name: "other", namespace: "default" }, spec: {} };
    while ((await said(client.create(type, probe as never, { dryRun: true }))).length === 0) await delay(50);

    const { rules } = compileRules(shelfSchema);
    for (const [at, [from, to]] of ratcheted.entries()) {
      const object = stored[at] as Custom;
      const real = await said(client.update(type, { ...object, spec: to } as never, { dryRun: true }));
      const whole = (spec: unknown) => ({ ...object, spec: withDefaults(spec) });
      expect(sorted(rules.check(whole(to), whole(from))), JSON.stringify([from, to])).toEqual(sorted(real));
    }
  });
});

/** What the server does before it asks the rules. */
function withDefaults(spec: unknown): unknown {
  const { keyed, ...rest } = spec as { keyed?: object[] };
  return keyed ? { ...rest, keyed: keyed.map((item) => ({ port: 80, ...item })) } : rest;
}
