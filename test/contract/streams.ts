/** Watches as they go over the wire: how they are asked for, which questions are refused, and what each line says. */
import { expect, test } from "vitest";
import type { Given } from "./given.ts";
import { said } from "./wire.ts";

interface Line {
  type: string;
  object: { kind: string; metadata: { name?: string; resourceVersion: string; annotations?: object } };
}

export function streams(given: Given): void {
  const maps = () => `/api/v1/namespaces/${given.namespace}/configmaps`;
  const make = (name: string, labels: object = { ours: "yes" }) =>
    given.ask("POST", maps(), { body: { metadata: { name, labels } } });
  /** Everything that is said within a second. */
  const hear = async (query: string): Promise<Line[]> => {
    const { body, text } = await given.ask("GET", `${maps()}?labelSelector=ours&watch=true&timeoutSeconds=1&${query}`);
    return text === "" ? [] : [body].flat();
  };
  const story = (lines: Line[]) => lines.map(({ type, object }) => `${type} ${object.metadata.name ?? ""}`.trim());

  test("without a version it begins with what is there", async () => {
    await make("one");
    await make("two");
    expect(story(await hear("")).sort()).toEqual(["ADDED one", "ADDED two"]);
    expect(story(await hear("resourceVersion=0")).sort()).toEqual(["ADDED one", "ADDED two"]);
  });

  test("from a version it tells all that came since", async () => {
    const { resourceVersion } = (await make("one")).body.metadata;
    await make("two");
    await given.ask("DELETE", `${maps()}/one`);
    const lines = await hear(`resourceVersion=${resourceVersion}`);
    expect(story(lines)).toEqual(["ADDED two", "DELETED one"]);
    const versions = lines.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
  });

  test("the old way to ask, by the path", async () => {
    await make("one");
    const { body } = await given.ask(
      "GET",
      `/api/v1/watch/namespaces/${given.namespace}/configmaps/one?timeoutSeconds=1`,
    );
    expect(story([body].flat())).toEqual(["ADDED one"]);
  });

  test("an answer is a stream of JSON lines", async () => {
    await make("one");
    const path = `${maps()}?labelSelector=ours&watch=true&timeoutSeconds=1`;
    const { headers, text } = await given.ask("GET", path);
    expect(headers["content-type"]).toBe("application/json");
    expect(headers["transfer-encoding"]).toBe("chunked");
    expect(text.endsWith("}\n")).toBe(true);
    const streamed = await given.ask("GET", path, { accept: "application/json;stream=watch" });
    expect(streamed.headers["content-type"]).toBe("application/json");
  });

  test("initial events end with a bookmark of the version that they show", async () => {
    const { resourceVersion } = (await make("one")).body.metadata;
    const lines = await hear("sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan");
    // More bookmarks may come before its time is up.
    expect(story(lines).slice(0, 2)).toEqual(["ADDED one", "BOOKMARK"]);
    const { object } = lines[1] as Line;
    expect(object).toMatchObject({
      kind: "ConfigMap",
      metadata: { annotations: { "k8s.io/initial-events-end": "true" } },
    });
    expect(BigInt(object.metadata.resourceVersion)).toBeGreaterThanOrEqual(BigInt(resourceVersion));
  });

  test("no initial events: only what comes, and yet the bookmark", async () => {
    await make("one");
    const lines = await hear("sendInitialEvents=false&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan");
    expect(story(lines).filter((line) => line.startsWith("ADDED"))).toEqual([]);
  });

  test.each([
    [
      "sendInitialEvents=true",
      "resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
    ],
    [
      "resourceVersionMatch=NotOlderThan",
      "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
    ],
    ["sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=1", "resourceVersionMatch"],
  ])("a watch may not ask %s", async (query, text) => {
    const answer = await given.ask("GET", `${maps()}?watch=true&${query}`);
    expect(said(answer)).toMatchObject({ code: 422, reason: "Invalid" });
    expect(answer.body.message).toContain(text);
  });

  test("a version that is none", async () => {
    const answer = await given.ask("GET", `${maps()}?watch=true&resourceVersion=x`);
    expect(said(answer)).toMatchObject({
      code: 500,
      message: 'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
    });
  });

  test("a watch of one by its name hears of no other", async () => {
    await make("one");
    await make("two");
    const { body } = await given.ask("GET", `${maps()}?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3Dtwo`);
    expect(story([body].flat())).toEqual(["ADDED two"]);
  });

  test("what no longer fits is deleted, and shown as it was when it fitted", async () => {
    const { resourceVersion } = (await make("one")).body.metadata;
    const body = { metadata: { labels: { ours: null, other: "x" } } };
    const changed = await given.ask("PATCH", `${maps()}/one`, { body, type: "application/merge-patch+json" });
    const [line] = await hear(`resourceVersion=${resourceVersion}`);
    expect(line).toMatchObject({ type: "DELETED", object: { metadata: { labels: { ours: "yes" } } } });
    expect(line?.object.metadata.resourceVersion).toBe(changed.body.metadata.resourceVersion);
  });
}
