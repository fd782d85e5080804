import { defineResource, type KubeObject, type ResourceType } from "@berg/apimachinery";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Deployments, Namespaces, Pods } from "../kinds.ts";
import { collectionPath, listQuery, objectPath, queryOf, watchQuery } from "./paths.ts";

const Challenges = defineResource<KubeObject>({
  group: "berg.norelect.ch",
  version: "v1",
  resource: "challenges",
  kind: "Challenge",
  namespaced: true,
});

describe("the path of a resource", () => {
  test.each<{ type: ResourceType; namespace: string; want: string }>([
    { type: Pods, namespace: "ctf", want: "/api/v1/namespaces/ctf/pods" },
    { type: Pods, namespace: "", want: "/api/v1/pods" },
    { type: Deployments, namespace: "ctf", want: "/apis/apps/v1/namespaces/ctf/deployments" },
    { type: Challenges, namespace: "", want: "/apis/berg.norelect.ch/v1/challenges" },
    { type: Namespaces, namespace: "", want: "/api/v1/namespaces" },
  ])("$want is a collection", ({ type, namespace, want }) => {
    expect(collectionPath(type, namespace)).toBe(want);
  });

  test.each<{ type: ResourceType; namespace: string; name: string; subresource?: string; want: string }>([
    { type: Pods, namespace: "ctf", name: "web", want: "/api/v1/namespaces/ctf/pods/web" },
    { type: Pods, namespace: "ctf", name: "web", subresource: "log", want: "/api/v1/namespaces/ctf/pods/web/log" },
    { type: Namespaces, namespace: "", name: "ctf", want: "/api/v1/namespaces/ctf" },
    { type: Namespaces, namespace: "", name: "ctf", subresource: "finalize", want: "/api/v1/namespaces/ctf/finalize" },
    // RBAC names may hold nearly anything, and what they hold must not become a query.
    { type: Namespaces, namespace: "", name: "a:b?c#d%2F é", want: "/api/v1/namespaces/a%3Ab%3Fc%23d%252F%20%C3%A9" },
  ])("$want is an object", ({ type, namespace, name, subresource, want }) => {
    expect(objectPath(type, namespace, name, subresource)).toBe(want);
  });

  test("whatever a name holds, it stays one segment and comes back as it was", () => {
    const names = fc.string({ unit: "grapheme", minLength: 1 }).filter((name) => !/^\.{1,2}$|\//.test(name));
    fc.assert(
      fc.property(names, (name) => {
        const path = objectPath(Pods, "ctf", name);
        const { pathname, search, hash } = new URL(path, "http://server");
        expect({ pathname, search, hash }).toEqual({ pathname: path, search: "", hash: "" });
        expect(path.split("/").length).toBe(7);
        expect(decodeURIComponent(path.slice("/api/v1/namespaces/ctf/pods/".length))).toBe(name);
      }),
    );
  });
});

describe("a path that would address something else is refused", () => {
  const missing = undefined as unknown as string;

  test.each([
    { namespace: "ctf", name: "", want: 'cannot use "" as a name: it is empty or holds a path' },
    { namespace: "ctf", name: missing, want: 'cannot use "undefined" as a name' },
    { namespace: "ctf", name: ".", want: 'cannot use "." as a name' },
    { namespace: "ctf", name: "..", want: 'cannot use ".." as a name' },
    { namespace: "ctf", name: "web/status", want: 'cannot use "web/status" as a name' },
    { namespace: "..", name: "web", want: 'cannot use ".." as a namespace' },
    { namespace: "a/b", name: "web", want: 'cannot use "a/b" as a namespace' },
    { namespace: missing, name: "web", want: 'cannot use "undefined" as a namespace' },
    { namespace: "", name: "web", want: 'cannot address Pod "web": it needs a namespace' },
  ])("$want", ({ namespace, name, want }) => {
    expect(() => objectPath(Pods, namespace, name)).toThrow(want);
  });

  test.each(["", "..", "../nodes"])('subresource "%s"', (subresource) => {
    expect(() => objectPath(Pods, "ctf", "web", subresource)).toThrow(`cannot use "${subresource}" as a subresource`);
  });
});

describe("the query", () => {
  test("leaves out what is not set, and escapes the rest", () => {
    expect(queryOf({ a: undefined, b: undefined })).toBe("");
    expect(queryOf({ force: false, limit: 0, manager: "a b&c=d", none: undefined })).toBe(
      "?force=false&limit=0&manager=a+b%26c%3Dd",
    );
  });

  test("of a list holds everything that was asked", () => {
    const query = queryOf(
      listQuery({
        namespace: "ctf",
        labelSelector: "app in (a,b)",
        fieldSelector: "spec.nodeName=n1",
        limit: 500,
        continue: "abc=",
        resourceVersion: "7",
        resourceVersionMatch: "Exact",
        signal: new AbortController().signal,
      }),
    );
    expect(Object.fromEntries(new URLSearchParams(query))).toEqual({
      labelSelector: "app in (a,b)",
      fieldSelector: "spec.nodeName=n1",
      limit: "500",
      continue: "abc=",
      resourceVersion: "7",
      resourceVersionMatch: "Exact",
    });
  });

  test("of a watch holds everything that was asked", () => {
    const query = queryOf(
      watchQuery({
        labelSelector: "",
        fieldSelector: "metadata.name=web",
        resourceVersion: "7",
        resourceVersionMatch: "NotOlderThan",
        timeoutSeconds: 300,
        allowWatchBookmarks: true,
        sendInitialEvents: true,
        onBytes() {},
      }),
    );
    expect(Object.fromEntries(new URLSearchParams(query))).toEqual({
      watch: "true",
      fieldSelector: "metadata.name=web",
      resourceVersion: "7",
      resourceVersionMatch: "NotOlderThan",
      timeoutSeconds: "300",
      allowWatchBookmarks: "true",
      sendInitialEvents: "true",
    });
  });
});
