/** Challenges that were stored under the original platform's CRD, which has no defaults and keeps nulls. */
import { type Client, createClient, Namespaces } from "@berg/kube";
import { startLocalControlPlane } from "@berg/local-control-plane";
import { type Challenge, Challenges, customResourceDefinitions } from "@berg/resources";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CustomResourceDefinitions, untilServed } from "../../../../test/scenarios/crds.ts";
import { originalChallengeDefinition } from "../../../../test/scenarios/original-crd.ts";
import { CommandLine } from "./testing/command-line.ts";

const parts = new AsyncDisposableStack();
let client: Client;
let berg: CommandLine;

beforeAll(async () => {
  const controlPlane = await startLocalControlPlane({ dataDir: ":memory:" });
  parts.defer(() => controlPlane.stop());
  const { connection } = controlPlane.apiServer;
  client = createClient({ connection });
  parts.defer(() => client.close());
  berg = parts.use(await CommandLine.for(connection));
  const original = originalChallengeDefinition();
  for (const ours of customResourceDefinitions()) {
    const definition = ours.metadata.name === original.metadata.name ? original : ours;
    await client.create(CustomResourceDefinitions, definition);
    await untilServed(client, definition);
  }
  await client.create(Namespaces, { metadata: { name: "berg" } });
}, 60_000);
afterAll(() => parts.disposeAsync());

test.each([
  {
    name: "nulls",
    spec: {
      containers: [{ hostname: "web", image: "web:1", dynamicFlag: { content: { path: "/flag", mode: null } } }],
    },
    flagPlaces: ["container web: the file /flag"],
  },
  { name: "no-defaults", spec: { containers: [{ hostname: "web", image: "web:1", ports: [{}] }] }, flagPlaces: [] },
  { name: "no-containers", spec: {}, flagPlaces: [] },
  { name: "rubbish", spec: { containers: [{ ports: [{ port: -1 }] }] }, flagPlaces: [] },
  { name: "no-spec", spec: undefined, flagPlaces: [] },
])("an instance of a Challenge with $name is started, listed and shown", { timeout: 60_000 }, async (given) => {
  const { name, spec, flagPlaces } = given;
  await client.create(Challenges, { metadata: { namespace: "berg", name }, ...(spec && { spec }) } as Challenge);
  const started = await berg.start(name, { wait: false, json: true });
  expect(started).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(started.stdout)).toMatchObject({ challenge: name, flagPlaces });
  const instance = JSON.parse(started.stdout).name;
  expect(await berg.list()).toMatchObject({ code: 0, stdout: expect.stringContaining(instance) });
  expect(await berg.show(instance)).toMatchObject({ code: 0, stdout: expect.stringContaining(name) });
  expect(await berg.stop([instance])).toMatchObject({ code: 0 });
});
