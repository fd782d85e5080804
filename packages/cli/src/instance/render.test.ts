/** What people read, as a whole: change it on purpose, with `npx vitest -u`. */
import { stripVTControlCharacters } from "node:util";
import type { Stored } from "@berg/apimachinery";
import type { CoreEvent } from "@berg/kube";
import type { ChallengeInstance } from "@berg/resources";
import { describe, expect, test } from "vitest";
import { paintFor, plain } from "./paint.ts";
import { Table } from "./render-list.ts";
import { detailsOf, renderShow } from "./render-show.ts";
import { renderAsked, renderStarted } from "./render-start.ts";
import { type InstanceView, viewOf } from "./view.ts";

const now = Date.parse("2026-08-01T18:00:00Z");

const running = {
  apiVersion: "berg.norelect.ch/v1",
  kind: "ChallengeInstance",
  metadata: {
    name: "cookie-jar-1f9c3a",
    namespace: "berg",
    uid: "5b1c",
    resourceVersion: "7",
    creationTimestamp: "2026-08-01T17:58:00Z",
  },
  spec: {
    challengeRef: { name: "cookie-jar", namespace: "berg" },
    ownerId: "0b6d0a5e-7a1f-4a3e-9b0e-3f6f1f7d2c11",
    flag: "flag{never_shown}",
    renewals: 0,
  },
  status: {
    phase: "Running",
    instanceId: "0191e7a4-5f0c-7b3e-9d2a-4c6f8e1b2a3d",
    namespace: "challenge-0b6d0a5e-7a1f-4a3e-9b0e-3f6f1f7d2c11",
    services: [
      { name: "site", hostname: "3fa9.localhost", port: 8080, protocol: "TCP", tls: false },
      { name: "game", hostname: "localhost", port: 31337, protocol: "TCP", tls: false },
    ],
    startedAt: "2026-08-01T17:58:01Z",
    readyAt: "2026-08-01T17:58:10Z",
    expiresAt: "2026-08-01T19:58:01Z",
    history: [{ at: "2026-08-01T17:58:01Z", reason: "Started", message: "The instance ends at 2026-08-01T19:58:01Z" }],
    conditions: [
      {
        type: "ChallengeFound",
        status: "True",
        reason: "Found",
        message: "The Challenge is there.",
        observedGeneration: 1,
      },
      { type: "PodsReady", status: "Unknown", reason: "WaitingForPods" },
      { type: "Healthy", status: "False", reason: "NotReady", message: "It\u001b[31m hurts." },
    ],
  },
} as Stored<ChallengeInstance>;

const web = new Set(["site"]);
const view = viewOf(running, web);
const failed: InstanceView = {
  ...viewOf({ ...running, metadata: { ...running.metadata, name: "echo-2" } }),
  challenge: "echo",
  phase: "Failed",
  reason: "OwnerBusy",
  message: "The owner has another instance.",
  addresses: [],
};
const event = (at: string, more: object) =>
  ({
    ...running,
    lastTimestamp: at,
    type: "Normal",
    reason: "R",
    message: "m",
    ...more,
  }) as unknown as Stored<CoreEvent>;
const session = { command: (words: string) => `berg instance ${words}` };

describe("start", () => {
  test("what was asked for", () => {
    const flagPlaces = ["container web: the file /flag.txt", "container db: the environment variable FLAG"];
    expect(renderAsked({ ...view, flagPlaces, flag: "flag{cookies_1f9c}" }, false, plain)).toMatchSnapshot();
    expect(renderAsked({ ...view, flagPlaces }, true, plain)).toMatchSnapshot();
    expect(renderAsked({ ...view, flagPlaces: [] }, true, plain)).toMatchSnapshot();
  });

  test("what came of it", () => {
    expect(renderStarted({ ...view, flagPlaces: [] }, now, session, plain)).toMatchSnapshot();
    expect(renderStarted({ ...failed, flagPlaces: [] }, now, session, plain)).toMatchSnapshot();
  });
});

describe("list", () => {
  const gone = { ...view, name: "ada", ending: true };
  const { expiresAt: _, ...endless } = view;
  test.each([
    { allNamespaces: false, wide: false },
    { allNamespaces: true, wide: true },
  ])("$allNamespaces, $wide", (options) => {
    const table = new Table({ ...options, paint: plain });
    expect(table.render([view, failed, gone, endless], now)).toMatchSnapshot();
  });

  test("colours are no part of a column's width, and later lines stand below the first", () => {
    const options = { allNamespaces: false, wide: false };
    const paint = paintFor({ write() {}, isTTY: true }, { TERM: "xterm" });
    const [coloured, bare] = [paint, plain].map((with_) => {
      const table = new Table({ ...options, paint: with_ });
      return table.render([view, failed], now) + table.renderLine({ ...view, name: "x" }, now);
    });
    expect(coloured).not.toBe(bare);
    expect(stripVTControlCharacters(coloured ?? "")).toBe(bare);
    const columns = bare
      ?.trimEnd()
      .split("\n")
      .map((line) => line.search(/PHASE|Running|Failed/));
    expect(new Set(columns).size).toBe(1);
  });
});

describe("show", () => {
  test("everything about one", () => {
    const events = [
      event("2026-08-01T17:58:10Z", { reason: "InstanceReady", message: "Instance ready and accessible" }),
      event("2026-08-01T17:58:01Z", { type: "Warning", reason: "RouteNotAccepted", message: "No.", count: 3 }),
    ];
    const flagPlaces = ["container web: the file /flag-{entropy: 12 characters}.txt"];
    const detailed = { ...view, ...detailsOf(running, events), flagPlaces };
    expect(renderShow(detailed, now, plain)).toMatchSnapshot();
    expect(detailed).toMatchSnapshot();
    expect(renderShow(detailed, now, plain)).not.toContain("\u001b");
  });

  test("one that nobody has looked at", () => {
    const { status: _, ...fresh } = running;
    const bare = fresh as Stored<ChallengeInstance>;
    expect(renderShow({ ...viewOf(bare), ...detailsOf(bare, []), flagPlaces: [] }, now, plain)).toMatchSnapshot();
  });

  test("no view has the flag", () => {
    expect(JSON.stringify(view)).not.toContain("never_shown");
  });
});

describe("colours", () => {
  const output = { write() {}, isTTY: true };
  test.each([
    { output, env: {}, coloured: true },
    { output, env: { NO_COLOR: "1" }, coloured: false },
    { output, env: { NO_COLOR: "" }, coloured: true },
    { output, env: { TERM: "dumb" }, coloured: false },
    { output: { write() {} }, env: {}, coloured: false },
  ])("$env: $coloured", ({ output, env, coloured }) => {
    expect(paintFor(output, env)("red", "x") !== "x").toBe(coloured);
  });
});
