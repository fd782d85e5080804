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
import { credentials } from "./credentials.ts";
import { deleting } from "./deleting.ts";
import { discovering } from "./discovering.ts";
import { CustomResourceDefinitions, eventually, type Given, type Subject, type WithSpec } from "./given.ts";
import { names } from "./names.ts";
import { patching } from "./patching.ts";
import { quantities } from "./quantities.ts";
import { reading } from "./reading.ts";
import { refusals } from "./refusals.ts";
import { selecting } from "./selecting.ts";
import { subresources } from "./subresources.ts";
import { watching } from "./watching.ts";
import { writing } from "./writing.ts";

const crds = join(import.meta.dirname, "../../crds");

/** `clientContract(() => startControlPlane())` inside a `describe`: one control plane for all checks. */
export function clientContract(start: () => Promise<Subject>): void {
  const clients: Client[] = [];
  const given = {
    namespace: "",
    connect(connection: Connection) {
      const client = createClient({ connection, rate: unlimited });
      clients.push(client);
      return client;
    },
  } as { -readonly [K in keyof Given]: Given[K] };
  let count = 0;

  beforeAll(async () => {
    given.subject = await start();
    given.client = given.connect(given.subject.connection);
    await installOurKinds(given.client);
  });
  beforeEach(async () => {
    given.namespace = `test-${++count}`;
    await given.client.create(Namespaces, { metadata: { name: given.namespace } });
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await given.subject?.stop();
  });

  describe("reading", () => reading(given));
  describe("selecting", () => selecting(given));
  describe("writing", () => writing(given));
  describe("patching", () => patching(given));
  describe("applying", () => applying(given));
  describe("deleting", () => deleting(given));
  describe("subresources", () => subresources(given));
  describe("quantities", () => quantities(given));
  describe("names", () => names(given));
  describe("refusals", () => refusals(given));
  describe("discovering", () => discovering(given));
  describe("watching", () => watching(given));
  describe("credentials", () => credentials(given));
}

async function installOurKinds(client: Client): Promise<void> {
  for (const file of await readdir(crds)) {
    const definition = parse(await readFile(join(crds, file), "utf8")) as WithSpec;
    await client.apply(CustomResourceDefinitions, definition, { fieldManager: "contract" });
  }
  await eventually(() => client.list(ChallengeInstances));
}
