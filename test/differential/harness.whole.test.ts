/** That a difference is found, made small and told; and that none is seen where there is none. Both parts are ours. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Answer } from "../contract/wire.ts";
import { play } from "./play.ts";
import { told } from "./report.ts";
import { prepare, run } from "./run.ts";
import { type Server, startEmbedded } from "./servers.ts";
import { shrink } from "./shrink.ts";
import { type Step, types } from "./step.ts";

const undo = new AsyncDisposableStack();
let one: Server;
let other: Server;

beforeAll(async () => {
  one = undo.use(await startEmbedded());
  other = undo.use(await startEmbedded());
  await prepare([one, other]);
});
afterAll(() => undo.disposeAsync());

const maps = "/api/v1/namespaces/{ns}/configmaps";
const create: Step = {
  method: "POST",
  path: maps,
  body: { metadata: { name: "a", labels: { a: "b" } }, data: { x: "1", at: "2020-01-01T00:00:00Z" } },
};
const update: Step = { method: "PUT", path: `${maps}/a`, from: "configmaps/a", body: { data: { x: "2" } } };
const look: Step = { method: "GET", path: maps };
const watch: Step = { method: "GET", path: `${maps}?watch=1&timeoutSeconds=1&resourceVersion={rv namespaces/ns}` };
const remove: Step = { method: "DELETE", path: `${maps}/a`, body: { preconditions: { uid: "{uid configmaps/a}" } } };

/** A server that answers some requests in another way. */
function corrupted(server: Server, corrupt: (answer: Answer, method: string, path: string) => void): Server {
  return {
    ...server,
    async ask(method, path, asking) {
      const answer = await server.ask(method, path, asking);
      corrupt(answer, method, path);
      return answer;
    },
  };
}

test("two of the same differ in nothing", { timeout: 60_000 }, async () => {
  const { found, played } = await run([one, other], { seed: 1, goesOn: (next) => next < 16 });
  expect(found.map(told)).toEqual([]);
  expect(played).toBe(16);
});

describe("what is found", () => {
  const corruptions: Record<string, (answer: Answer, method: string) => void> = {
    "another code": (answer, method) => {
      if (method === "PUT") answer.code = 201;
    },
    "another value": (answer, method) => {
      if (method === "PUT") answer.body.data.x = "3";
    },
    "a field too much": (answer, method) => {
      if (method === "PUT") answer.body.immutable = false;
    },
    "a field too little": (answer, method) => {
      if (method === "POST" && answer.body.kind === "ConfigMap") delete answer.body.metadata.labels;
    },
    "a warning": (answer, method) => {
      if (method === "PUT") answer.warnings.push("odd");
    },
    "a version that did not change": (answer, method) => {
      if (method === "PUT") answer.body.metadata.resourceVersion = "1";
    },
    "a uid that changed": (answer, method) => {
      if (method === "PUT") answer.body.metadata.uid = crypto.randomUUID();
    },
    "a list without an object": (answer) => {
      if (answer.body.kind === "ConfigMapList") answer.body.items = [];
    },
    "a frame too little": (answer) => {
      if (Array.isArray(answer.body)) answer.body.pop();
    },
    "frames in another order": (answer) => {
      if (Array.isArray(answer.body)) answer.body.reverse();
    },
    "another owner of a field": (answer, method) => {
      if (method === "PUT") answer.body.metadata.managedFields[0].manager = "odd";
    },
    "a time of long ago that is another one": (answer, method) => {
      if (method === "POST" && answer.body.kind === "ConfigMap") answer.body.data.at = "2021-01-01T00:00:00Z";
    },
  };

  test.each(Object.entries(corruptions))("%s", { timeout: 20_000 }, async (_name, corrupt) => {
    expect(await play([one, corrupted(other, corrupt)], [create, update, look, watch, remove])).toBeDefined();
  });

  test("among random requests, once for each text", { timeout: 60_000 }, async () => {
    const spoilt = corrupted(other, (answer, method) => {
      if (method === "DELETE" && answer.code === 404) answer.code = 410;
    });
    const { found } = await run([one, spoilt], { seed: 3, goesOn: (next) => next < 12 });
    expect(found.length).toBeGreaterThan(0);
    for (const { real, ours, steps } of found) {
      expect([real.code, ours.code]).toEqual([404, 410]);
      expect(steps).toHaveLength(1);
    }
    const texts = found.map(({ real }) => (real.body as { message: string }).message.replace(/".*"/, ""));
    expect(new Set(texts).size).toBe(texts.length);
  });

  test("only where something is wrong", async () => {
    expect(await play([one, other], [create, update, look, watch, remove])).toBeUndefined();
  });

  test("is made small, down to what shows it", { timeout: 30_000 }, async () => {
    const spoilt = corrupted(other, (answer, method) => {
      if (method === "PUT" && answer.body.data?.x === "2") answer.code = 418;
    });
    const servers = [one, spoilt] as const;
    const found = await play(servers, [look, create, look, update, look, remove]);
    if (!found) throw new Error("want a difference");
    const { steps, differences } = await shrink(found, (tried) => play(servers, tried));
    expect(steps).toEqual([
      { method: "POST", path: maps, body: { metadata: { name: "a" } } },
      { ...update, body: { data: { x: "2" } } },
    ]);
    expect(differences).toEqual([{ path: "code", real: 200, ours: 418 }]);
  });

  test("is told with the script and both answers", async () => {
    const spoilt = corrupted(other, (answer, method) => {
      if (method === "DELETE") answer.code = 202;
    });
    const found = await play([one, spoilt], [create, remove]);
    expect(found && told(found)).toBe(
      `Step 1 is answered differently, 200 and 202:\n  code\n    real 200\n    ours 202\nThe script:\n  ${JSON.stringify([create, remove])}\n`,
    );
  });
});

test("what is random or of the moment is no difference", async () => {
  const steps: Step[] = [
    { method: "POST", path: maps, body: { metadata: { generateName: "gen-{n}-" } } },
    {
      method: "POST",
      path: "/api/v1/namespaces/{ns}/services",
      body: { metadata: { name: "a" }, spec: { type: "NodePort", ports: [{ port: 1 }] } },
    },
    {
      method: "POST",
      path: "/api/v1/namespaces/{ns}/pods",
      body: { metadata: { name: "a" }, spec: { containers: [{ name: "a", image: "a" }] } },
    },
    {
      method: "DELETE",
      path: "/api/v1/namespaces/{ns}/services/a",
      body: { preconditions: { resourceVersion: "{oldrv pods/a}" } },
    },
    {
      method: "PATCH",
      path: `${maps}/a?fieldManager=x`,
      type: types.apply,
      body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
    },
    { method: "GET", path: `${maps}?limit=1` },
    { method: "GET", path: `${maps}?limit=1&continue={continue}` },
  ];
  // Each has its own revisions.
  await one.ask("POST", "/api/v1/namespaces", { body: { metadata: { name: `only-here-${crypto.randomUUID()}` } } });
  const found = await play([one, other], steps);
  expect(found && told(found)).toBeUndefined();
});
