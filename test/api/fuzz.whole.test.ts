/**
 * 10,000 random requests, made from the OpenAPI description that the API gives of itself: every operation, with values that
 * fit its schema and values that do not, of nobody, a player, an admin and an API key. None is answered with a 5xx, and
 * each refusal is a problem document.
 */

import type { Problem } from "@berg/api/wire";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type SignedIn, Site } from "./site.ts";

const requests = 10_000;
const inFlight = 16;

interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  enum?: unknown[];
  anyOf?: Schema[];
}

interface Operation {
  parameters?: { name: string; in: "path" | "query"; schema: Schema }[];
  requestBody?: { content: { "application/json": { schema: Schema } } };
}

let site: Site;
let player: SignedIn;
let admin: SignedIn;
let key: string;

beforeAll(async () => {
  site = await Site.start();
  player = await site.signIn("player");
  admin = await site.signIn("admin");
  const accept = { accept: "application/json" };
  key = (await player.call<string>("/api/players/current/api-key", { method: "DELETE", headers: accept })).body;
});
afterAll(() => site?.[Symbol.asyncDispose]());

const nasty = fc.oneof(
  fc.string({ maxLength: 200, unit: "binary" }),
  fc.constantFrom<unknown>("", "\u0000", "../../etc/passwd", "'; drop table player; --", "x".repeat(5_000), "\u202e"),
  fc.constantFrom<unknown>(null, true, -1, 0, 1e308, 2 ** 53, Number.MIN_VALUE, [], {}, [[]], { __proto__: null }),
);
const uuid = fc.constantFrom(
  "0190d6a0-0000-7000-8000-000000000001",
  "not-a-uuid",
  "00000000-0000-0000-0000-000000000000",
);

/** Mostly of the schema, sometimes not. */
function arbitraryOf(schema: Schema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 4, arbitrary: fitting(schema) }, { weight: 1, arbitrary: nasty });
}

function fitting(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf?.[0]) return fc.oneof(...schema.anyOf.map(fitting));
  if (schema.properties) {
    const fields = Object.entries(schema.properties).map(([name, field]) => [name, arbitraryOf(field)] as const);
    return fc.record(Object.fromEntries(fields), { requiredKeys: [] });
  }
  switch (schema.type) {
    case "array":
      return fc.array(arbitraryOf(schema.items ?? {}), { maxLength: 5 });
    case "object":
      return fc.dictionary(fc.string(), nasty, { maxKeys: 5 });
    case "integer":
    case "number":
      return fc.integer({ min: -5, max: 500 });
    case "boolean":
      return fc.boolean();
    default:
      return fc.oneof(fc.constantFrom("notes", "jail", "vault", "admin", "Player"), uuid, fc.string({ maxLength: 40 }));
  }
}

/** Other than these, what is asked for does not end the sessions that ask. */
const endsSession = (method: string, path: string) =>
  path === "/api/sign-out" ||
  (method === "DELETE" && /^\/api\/players\/current(\/sessions.*)?$/.test(path)) ||
  (method === "POST" && /^\/api\/(sign-in|registration)$/.test(path)) ||
  /\/(links?|roles)$/.test(path);

const asText = (value: unknown) =>
  encodeURIComponent(String(typeof value === "object" ? JSON.stringify(value) : value).toWellFormed());

function requestTo(method: string, path: string, { parameters = [], requestBody }: Operation) {
  const values = Object.fromEntries(parameters.map(({ name, schema }) => [name, arbitraryOf(schema)]));
  const schema = requestBody?.content["application/json"].schema;
  const who = endsSession(method, path) ? ["nobody", "key"] : ["nobody", "player", "admin", "key"];
  return fc
    .record({
      values: fc.record(values, {
        requiredKeys: parameters.filter((one) => one.in === "path").map(({ name }) => name),
      }),
      body: schema ? arbitraryOf(schema) : fc.constant(undefined),
      who: fc.constantFrom(...who),
    })
    .map(({ values, body, who }) => {
      const given = values as Record<string, unknown>;
      const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => asText(given[name]) || "-");
      const query = parameters
        .filter((one) => one.in === "query" && one.name in given)
        .map(({ name }) => `${name}=${asText(given[name])}`);
      return { method, path: query.length > 0 ? `${filled}?${query.join("&")}` : filled, body, who };
    });
}

test("none of 10,000 requests made from the OpenAPI description is answered with a 5xx", async () => {
  const { body: openapi } = await site.call<{ paths: Record<string, Record<string, Operation>> }>("/api/openapi.json");
  const operations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => requestTo(method.toUpperCase(), path, operation)),
  );
  expect(operations.length).toBeGreaterThan(25);
  const seed = Number(process.env.BERG_FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
  const all = fc.sample(fc.oneof(...operations), { numRuns: requests, seed });
  const statuses = new Map<number, number>();
  const wrong: string[] = [];
  const ask = async ({ method, path, body, who }: (typeof all)[number]) => {
    const call = { method, ...(body !== undefined && { body }) };
    const asker = { player, admin }[who];
    const headers = who === "key" ? { authorization: `Bearer ${key}` } : {};
    const answer = asker ? await asker.call<Problem>(path, call) : await site.call<Problem>(path, { ...call, headers });
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    const isProblem =
      /problem\+json/.test(String(answer.headers["content-type"])) && answer.body.code && answer.body.detail;
    if (answer.status >= 500 || (answer.status >= 400 && !isProblem)) {
      wrong.push(
        `${answer.status} ${method} ${path} ${JSON.stringify(body)?.slice(0, 300)}: ${answer.text.slice(0, 300)}`,
      );
    }
  };
  const left = all[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      for (const one of left) await ask(one);
    }),
  );
  expect({ seed, wrong: wrong.slice(0, 5) }).toEqual({ seed, wrong: [] });
  // Not only refusals: the sessions still stand, and some of it did something.
  expect(statuses.get(200) ?? 0).toBeGreaterThan(requests / 10);
  expect((await player.call("/api/players/current")).status).toBe(200);
  expect((await admin.call("/api/admin/instances")).status).toBe(200);
});
