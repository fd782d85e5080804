import type { Secret } from "@berg/kube";
import { expect, test } from "vitest";
import { credentialsFor } from "./credentials.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const secret = (type: string, key: string, content: unknown): Secret => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "pull", namespace: "default" },
  type: `kubernetes.io/${type}`,
  data: { [key]: base64(typeof content === "string" ? content : JSON.stringify(content)) },
});
const config = (auths: unknown) => secret("dockerconfigjson", ".dockerconfigjson", { auths });
const signIn = (username: string) => ({ username, password: "p" });
const users = (repository: string, ...secrets: Secret[]) =>
  credentialsFor(repository, secrets).map(({ username }) => username);

test.each([
  ["its registry", "r.test", "r.test/web", true],
  ["its registry as a URL", "https://r.test/", "r.test/web", true],
  ["its registry as old clients write it", "https://r.test/v2/", "r.test/web", true],
  ["its path", "r.test/team", "r.test/team/web", true],
  ["another path", "r.test/team", "r.test/other/web", false],
  ["another registry", "r.test", "s.test/web", false],
  ["another port", "r.test:5000", "r.test/web", false],
  ["its port", "r.test:5000", "r.test:5000/web", true],
  ["a pattern", "*.r.test", "eu.r.test/web", true],
  ["a pattern of one part", "*.test", "eu.r.test/web", false],
  ["Docker Hub by its old name", "https://index.docker.io/v1/", "docker.io/library/nginx", true],
  ["Docker Hub", "docker.io", "docker.io/library/nginx", true],
  ["a dot, which is no pattern", "rxtest", "r.test/web", false],
])("a sign-in for %s", (_, place, repository, want) => {
  expect(users(repository, config({ [place]: signIn("bob") }))).toEqual(want ? ["bob"] : []);
});

test("the most specific comes first, then the order of the secrets", () => {
  const one = config({ "r.test": signIn("whole"), "r.test/team": signIn("team") });
  const two = config({ "r.test": signIn("second") });
  expect(users("r.test/team/web", one, two)).toEqual(["team", "whole", "second"]);
});

test("both kinds of secret, and both ways to write a sign-in", () => {
  const [old] = credentialsFor("r.test/web", [
    secret("dockercfg", ".dockercfg", { "r.test": { auth: base64("bob:hun:ter2") } }),
  ]);
  expect(old).toEqual({ username: "bob", password: "hun:ter2", serveraddress: "r.test" });
  expect(users("r.test/web", config({ "r.test": { auth: base64("eve:x").replace(/=+$/, "") } }))).toEqual(["eve"]);
});

test.each([
  ["of another type", secret("opaque", ".dockerconfigjson", { auths: { "r.test": signIn("bob") } })],
  ["with nothing in it", config(undefined)],
  ["with a list", config([])],
  ["for a place that is none", config({ "": signIn("bob") })],
])("a secret %s has none", (_, given) => {
  expect(users("r.test/web", given)).toEqual([]);
});

test.each([
  ["no JSON", secret("dockerconfigjson", ".dockerconfigjson", '{"auths": hunter2'), "pull secret pull has no JSON"],
  ["no pair", config({ "r.test": { auth: base64("hunter2") } }), "must be formatted as base64(username:password)"],
])("a secret with %s is refused, and does not show", (_, given, text) => {
  const attempt = () => credentialsFor("r.test/web", [given]);
  expect(attempt).toThrow(text);
  expect(attempt).not.toThrow(/hunter2/);
});
