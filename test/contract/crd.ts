/**
 * Definitions for checks of custom kinds: in a group of its own for each test, so that none meets another's, or in one
 * group for tests that share a definition and keep their objects apart by namespace.
 */
import { eventually, type Given } from "./given.ts";
import type { Answer } from "./wire.ts";

export const crdPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

interface InGroup extends Given {
  /** Shared by several tests. Each test has its own unless told. */
  readonly group?: string;
}

export const groupOf = ({ namespace, group = namespace }: InGroup) => `${group}.berg.test`;

/** The same, at any time, with its widgets in this group. */
export const inGroup = (given: Given, group: string): InGroup => Object.create(given, { group: { value: group } });

/** The same, at any time, with its objects in this namespace. */
export const inNamespace = <G extends Given>(given: G, namespace: string): G =>
  Object.create(given, { namespace: { value: namespace } });

/** `spec` is the schema of `spec`; `version` and `more` are put into the only version and the definition's spec. */
export function definition(given: InGroup, spec: object, version: object = {}, more: object = {}) {
  const group = groupOf(given);
  const properties = {
    spec: { type: "object", ...spec },
    status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  };
  const schema = { openAPIV3Schema: { type: "object", properties } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      names: { plural: "widgets", kind: "Widget" },
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true, schema, ...version }],
      ...more,
    },
  };
}

export const widgetsPath = (given: InGroup, version = "v1") =>
  `/apis/${groupOf(given)}/${version}/namespaces/${given.namespace}/widgets`;

export const widget = (given: InGroup, name: string, spec: object, more: object = {}) => ({
  apiVersion: `${groupOf(given)}/v1`,
  kind: "Widget",
  metadata: { name },
  spec,
  ...more,
});

/** Creates the definition, and waits until its objects can be asked for. */
export async function define(given: InGroup, ...args: [spec: object, version?: object, more?: object]): Promise<void> {
  const answer = await given.ask("POST", crdPath, { body: definition(given, ...args) });
  if (answer.code !== 201) throw new Error(answer.text);
  await served(given);
}

export async function served(given: InGroup, version = "v1"): Promise<void> {
  await eventually(async () => {
    const { code } = await given.ask("GET", widgetsPath(given, version));
    if (code !== 200) throw new Error(`not served yet: ${code}`);
  });
}

/** What becomes of one widget with this spec. */
export function create(given: InGroup, name: string, spec: object, more: object = {}): Promise<Answer> {
  return given.ask("POST", widgetsPath(given), { body: widget(given, name, spec, more) });
}
