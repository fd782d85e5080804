import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { problemCodes } from "../problems.ts";
import { startTestServer, type TestServer } from "../testing/test-server.ts";
import { fieldsOf } from "./schema-fields.ts";

let server: TestServer;
let page: string;
beforeAll(async () => {
  server = await startTestServer();
  const { statusCode, headers, body } = await server.app.inject({ url: "/api/docs" });
  expect([statusCode, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
  page = body;
});
afterAll(() => server[Symbol.asyncDispose]());

describe("the reference page", () => {
  test("has every operation of the OpenAPI document, and every error", async () => {
    const document = (await server.app.inject({ url: "/api/openapi.json" })).json();
    for (const [path, methods] of Object.entries<object>(document.paths)) {
      for (const method of Object.keys(methods)) {
        expect(page).toContain(`>${method.toUpperCase()}</span> <code>${path}</code>`);
      }
    }
    for (const code of Object.keys(problemCodes)) expect(page).toContain(`<code>${code}</code>`);
    expect(page).toContain("services[].hostname");
    expect(page).toContain("content-security-policy");
  });

  test("needs nothing that our Content-Security-Policy refuses", () => {
    expect(page).not.toMatch(/<script|<style| style=| on\w+=|javascript:/i);
  });

  test("has its style sheet, and links that lead somewhere", async () => {
    const { statusCode, headers } = await server.app.inject({ url: "/api/docs/style.css" });
    expect([statusCode, headers["content-type"]]).toEqual([200, "text/css; charset=utf-8"]);
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id));
    const targets = [...page.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id);
    expect(targets.length).toBeGreaterThan(10);
    expect(targets.filter((id) => !ids.has(id))).toEqual([]);
  });
});

test("the fields of a schema, nested ones by their path", () => {
  const schema = {
    type: "object",
    required: ["id", "list"],
    properties: {
      id: { type: "string", format: "uuid" },
      count: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 1 },
      list: { type: "array", items: { type: "object", properties: { a: { enum: ["x", "y"] } } } },
      maybe: { anyOf: [{ type: "object", properties: { b: { type: "boolean" } } }, { type: "null" }] },
      text: { anyOf: [{ type: "string" }, { type: "null" }], description: "Words." },
      map: { type: "object", additionalProperties: { type: "string" } },
    },
  };
  expect(fieldsOf(schema).map(({ path, type, isRequired }) => [path, type, isRequired])).toEqual([
    ["id", "uuid", true],
    ["count", "integer (≥ 0, default 1)", false],
    ["list[].a", '"x" | "y"', false],
    ["maybe.b", "boolean", false],
    ["text", "string or null", false],
    ["map", "map of string", false],
  ]);
});
