import { expect, test } from "vitest";
import { environmentOf } from "./environment.ts";
import { containerOf } from "./testing/blueprints.ts";

const namespace = "challenge-1";
const flag = { way: "env", env: { name: "FLAG", value: "flag{$$}" } } as const;
const endpoints = [
  { name: "WEB_ENDPOINT", value: "web:80" },
  { name: "DB_ENDPOINT", value: "db:5432" },
];

const names = (environment: Record<string, string>, parts: Partial<Parameters<typeof environmentOf>[1]> = {}) =>
  environmentOf(containerOf("web", [], { environment }), { endpoints, namespace, flag, ...parts }).map(
    ({ name }) => name,
  );

test("the author's variables come first, then endpoints and the namespace, and the flag last", () => {
  expect(names({ PORT: "80", DEBUG: "" })).toEqual([
    "DEBUG",
    "PORT",
    "WEB_ENDPOINT",
    "DB_ENDPOINT",
    "CHALLENGE_NAMESPACE",
    "FLAG",
  ]);
});

test("the order in which an author wrote the variables makes no difference", () => {
  expect(names({ B: "", "1": "", A: "" })).toEqual(names({ A: "", B: "", "1": "" }));
});

test("every value reaches the container as it was written, dollars too", () => {
  const environment = { A: "$(HOME)", B: "$$", C: "$" };
  const container = containerOf("web", [], { environment });
  const made = environmentOf(container, { endpoints: [{ name: "D", value: "$(A):80" }], namespace, flag });
  expect(made.map(({ value }) => value)).toEqual(["$$(HOME)", "$$$$", "$$", "$$(A):80", namespace, "flag{$$}"]);
});

test("an empty value is left out, as the server leaves it out", () => {
  const container = containerOf("web", [], { environment: { A: null, B: "", C: 0, D: false } });
  expect(environmentOf(container, { endpoints: [], namespace, flag: undefined })).toEqual([
    { name: "A" },
    { name: "B" },
    { name: "C", value: "0" },
    { name: "D", value: "false" },
    { name: "CHALLENGE_NAMESPACE", value: namespace },
  ]);
});

test("a name stands there once, with the value and at the place of the last", () => {
  const container = containerOf("web", [], { environment: { WEB_ENDPOINT: "mine", FLAG: "mine", A: "1" } });
  const twice = [{ name: "WEB_ENDPOINT", value: "first:1" }, ...endpoints];
  expect(environmentOf(container, { endpoints: twice, namespace, flag })).toEqual([
    { name: "A", value: "1" },
    ...endpoints,
    { name: "CHALLENGE_NAMESPACE", value: namespace },
    flag.env,
  ]);
});
