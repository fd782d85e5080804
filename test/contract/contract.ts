/**
 * What the client promises, and what it relies on, checked against a control plane. Everything goes through the typed
 * client, so that the same checks can be put to any server that speaks the Kubernetes API; where it differs from a real
 * one, it is wrong.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Client, type Connection, createClient, Namespaces, unlimited } from "@berg/kube";
import { ChallengeInstances } from "@berg/resources";
import { afterAll, beforeAll, beforeEach, describe } from "vitest";
import { parse } from "yaml";
import { applying } from "./applying.ts";
import { crdDefinitions } from "./crd-definitions.ts";
import { crdObjects } from "./crd-objects.ts";
import { credentials } from "./credentials.ts";
import { deleting } from "./deleting.ts";
import { discovering } from "./discovering.ts";
import { documents } from "./documents.ts";
import { CustomResourceDefinitions, eventually, type Given, type Subject, type WithSpec } from "./given.ts";
import { limits } from "./limits.ts";
import { names } from "./names.ts";
import { namespaces } from "./namespaces.ts";
import { ownership } from "./ownership.ts";
import { paging } from "./paging.ts";
import { patching } from "./patching.ts";
import { permissions } from "./permissions.ts";
import { policies } from "./policies.ts";
import { priorityClasses } from "./priority-classes.ts";
import { quantities } from "./quantities.ts";
import { reading } from "./reading.ts";
import { refusals } from "./refusals.ts";
import { robustness } from "./robustness.ts";
import { runtimeClasses } from "./runtime-classes.ts";
import { selecting } from "./selecting.ts";
import { services } from "./services.ts";
import { smallKinds } from "./small-kinds.ts";
import { streams } from "./streams.ts";
import { strictness } from "./strictness.ts";
import { subresources } from "./subresources.ts";
import { tables } from "./tables.ts";
import { watching } from "./watching.ts";
import { openWire } from "./wire.ts";
import { writing } from "./writing.ts";

const crds = join(import.meta.dirname, "../../crds");

/** Each theme is a `describe` of its own. */
export const themes: Readonly<Record<string, (given: Given) => void>> = {
  reading,
  selecting,
  paging,
  writing,
  strictness,
  patching,
  applying,
  ownership,
  deleting,
  subresources,
  quantities,
  names,
  refusals,
  robustness,
  discovering,
  documents,
  tables,
  watching,
  streams,
  credentials,
  permissions,
  limits,
  namespaces,
  services,
  policies,
  "runtime classes": runtimeClasses,
  "priority classes": priorityClasses,
  "small kinds": smallKinds,
  "definitions of custom kinds": crdDefinitions,
  "objects of custom kinds": crdObjects,
};

/**
 * `clientContract(() => startControlPlane())` inside a `describe`: one control plane for all checks. `differences` names
 * those that must fail on it, and why: one that holds after all has to go from the list.
 */
export function clientContract(
  start: () => Promise<Subject>,
  differences: Readonly<Record<string, string>> = {},
): void {
  const clients: Client[] = [];
  const given = {
    namespace: "",
    connect(connection: Connection) {
      const client = createClient({ connection, rate: unlimited });
      clients.push(client);
      return client;
    },
  } as { -readonly [K in keyof Given]: Given[K] };
  let closeWire: (() => void) | undefined;
  let count = 0;

  beforeAll(async () => {
    given.subject = await start();
    given.client = given.connect(given.subject.connection);
    ({ ask: given.ask, close: closeWire } = await openWire(given.subject.connection));
    await installOurKinds(given.client);
  });
  beforeEach(async ({ task }) => {
    if (Object.hasOwn(differences, task.name)) (task as { fails?: boolean }).fails = true;
    given.namespace = `test-${++count}`;
    await given.client.create(Namespaces, { metadata: { name: given.namespace } });
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    closeWire?.();
    await given.subject?.stop();
  });

  for (const [name, theme] of Object.entries(themes)) describe(name, () => theme(given));
}

async function installOurKinds(client: Client): Promise<void> {
  // Those of `berg clusters` stand in a folder of their own.
  const files = (await readdir(crds)).filter((name) => name.endsWith(".yaml"));
  for (const file of files) {
    const definition = parse(await readFile(join(crds, file), "utf8")) as WithSpec;
    await client.apply(CustomResourceDefinitions, definition, { fieldManager: "contract" });
  }
  await eventually(() => client.list(ChallengeInstances));
}
