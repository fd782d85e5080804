import { describe, expect, test } from "vitest";
import type { HttpRouteMatch } from "../kinds.ts";
import { byPrecedence, compileMatch, type RequestMatch, requestMatches } from "./request-match.ts";

const compile = (match: HttpRouteMatch): RequestMatch => {
  const compiled = compileMatch(match);
  if (typeof compiled === "string") throw new Error(compiled);
  return compiled;
};
const request = (target: string, { method = "GET", headers = {} as Record<string, string> } = {}) => ({
  target,
  method,
  header: (name: string) => headers[name],
});
const path = (type: string, value: string) => ({ path: { type, value } });

describe("a match", () => {
  test.each<[HttpRouteMatch, string, boolean]>([
    [{}, "/", true],
    [{}, "/anything?x", true],
    [{}, "*", false],
    [path("PathPrefix", "/a"), "/a", true],
    [path("PathPrefix", "/a"), "/a/b", true],
    [path("PathPrefix", "/a"), "/a?x=/b", true],
    [path("PathPrefix", "/a"), "/ab", false],
    [path("PathPrefix", "/a"), "/A", false],
    [path("PathPrefix", "/a/"), "/a", true],
    [path("PathPrefix", "/a/"), "/a/b", true],
    [path("Exact", "/a"), "/a", true],
    [path("Exact", "/a"), "/a?x", true],
    [path("Exact", "/a"), "/a/", false],
    [path("Exact", "/a/"), "/a/", true],
    [{ queryParams: [{ name: "x", value: "1" }] }, "/?x=1", true],
    [{ queryParams: [{ name: "x", value: "1" }] }, "/?x=2&x=1", false],
    [{ queryParams: [{ name: "x", value: "1" }] }, "/", false],
    [{ queryParams: [{ name: "x", value: "a b" }] }, "/?x=a%20b", true],
    [
      {
        queryParams: [
          { name: "x", value: "1" },
          { name: "x", value: "2" },
        ],
      },
      "/?x=1",
      true,
    ],
  ])("%j of %s: %s", (match, target, matches) => {
    expect(requestMatches(compile(match), request(target))).toBe(matches);
  });

  test("asks for the method and all header fields, by names of any case", () => {
    const match = compile({
      method: "POST",
      headers: [
        { name: "X-A", value: "1" },
        { name: "b", value: "2" },
      ],
    });
    const headers = { "x-a": "1", b: "2" };
    expect(requestMatches(match, request("/", { method: "POST", headers }))).toBe(true);
    expect(requestMatches(match, request("/", { method: "GET", headers }))).toBe(false);
    expect(requestMatches(match, request("/", { method: "POST", headers: { "x-a": "1" } }))).toBe(false);
  });

  test.each<[HttpRouteMatch, string]>([
    [path("RegularExpression", "/a.*"), "path matches of type RegularExpression are not supported"],
    [path("Exact", "a"), 'the path "a" does not begin with a slash'],
    [
      { headers: [{ type: "RegularExpression", name: "a", value: "b" }] },
      "header matches of type RegularExpression are not supported",
    ],
    [
      { queryParams: [{ type: "RegularExpression", name: "a", value: "b" }] },
      "query parameter matches of type RegularExpression are not supported",
    ],
  ])("%j is not served: %s", (match, why) => {
    expect(compileMatch(match)).toBe(why);
  });
});

test("of several that would do, the most particular comes first", () => {
  const value = (name: string) => ({ name, value: "1" });
  const inOrder = [
    path("Exact", "/a"),
    path("PathPrefix", "/a/b"),
    { ...path("PathPrefix", "/a"), method: "GET" },
    { ...path("PathPrefix", "/a"), headers: [value("x"), value("y")] },
    { ...path("PathPrefix", "/a"), headers: [value("x")], queryParams: [value("x")] },
    { ...path("PathPrefix", "/a"), headers: [value("x")] },
    { ...path("PathPrefix", "/a"), queryParams: [value("x"), value("y")] },
    { ...path("PathPrefix", "/a"), queryParams: [value("x")] },
    path("PathPrefix", "/a"),
    {},
  ].map(compile);
  expect(inOrder.toReversed().sort(byPrecedence)).toEqual(inOrder);
});
