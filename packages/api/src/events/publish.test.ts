/** With caches that the test fills: an informer needs an API server. */
import { makeKey, type Stored } from "@berg/apimachinery";
import { FakeClock } from "@berg/kube/testing";
import type { Challenge, CompetitionSpec } from "@berg/resources";
import { competitionDefaults } from "@berg/resources";
import { beforeEach, describe, expect, test } from "vitest";
import type { ApiContext, Caches } from "../context.ts";
import type { PublicMessage } from "../wire.ts";
import { publishChanges } from "./publish.ts";

class FakeCache {
  readonly #objects = new Map<string, Stored<Challenge>>();
  readonly #listeners: ((change: { object: unknown }) => void)[] = [];

  get = (key: string) => this.#objects.get(key);
  list = () => [...this.#objects.values()];
  onChange(listener: (change: { object: unknown }) => void): () => void {
    this.#listeners.push(listener);
    return () => {};
  }

  set(name: string, spec: Partial<Challenge["spec"]>): void {
    const full = { categories: [], tags: [], containers: [], attachments: [], ...spec };
    const object = { metadata: { name, namespace: "berg" }, spec: full } as unknown as Stored<Challenge>;
    this.#objects.set(makeKey("berg", name), object);
    this.changed({ metadata: { name } });
  }

  delete(name: string): void {
    this.#objects.delete(makeKey("berg", name));
    this.changed({ metadata: { name } });
  }

  changed(object: unknown): void {
    for (const listener of this.#listeners) listener({ object });
  }
}

let clock: FakeClock;
let rules: CompetitionSpec;
let challenges: FakeCache;
let competitions: FakeCache;
let sent: string[];
let restarts: number;
let stop: () => void;

beforeEach(() => {
  clock = new FakeClock();
  rules = competitionDefaults();
  [challenges, competitions] = [new FakeCache(), new FakeCache()];
  sent = [];
  restarts = 0;
  const hub = {
    broadcast({ type, message }: PublicMessage, audience = "all") {
      const what = typeof message === "string" ? message : "name" in message ? message.name : "";
      sent.push(`${audience} ${type} ${what}`.trim());
    },
    restartChanges: () => restarts++,
  };
  const context = { clock, hub, settings: { namespace: "berg", version: "0" }, competition: () => rules };
  const caches = { challenges, competitions, instances: new FakeCache(), pages: new FakeCache() };
  stop = publishChanges(context as unknown as ApiContext, caches as unknown as Caches);
});

/** What was announced since the last call. */
const announced = () => sent.splice(0);
const at = (seconds: number) => new Date(clock.now() + seconds * 1000).toISOString();
function change(changes: Partial<CompetitionSpec>): void {
  rules = { ...rules, ...changes };
  competitions.changed({});
}

describe("a challenge is announced", () => {
  test("when it is added, changed or deleted", () => {
    challenges.set("web", {});
    challenges.set("web", { author: "Ada" });
    challenges.delete("web");
    expect(announced()).toEqual(["all challenge web", "all challenge web", "all challenge-delete web"]);
  });

  test("when it is not hidden any more, and its name stays secret until then", async () => {
    challenges.set("web", { hideUntil: at(90) });
    challenges.set("gone", { hideUntil: at(90) });
    challenges.delete("gone");
    await clock.advance(89_999);
    expect(announced()).toEqual([]);
    await clock.advance(1);
    expect(announced()).toEqual(["all challenge web"]);
    challenges.set("web", { hideUntil: at(5) });
    expect(announced()).toEqual(["all challenge-delete web"]);
  });

  test("to admins before the start, and to all at the start, with the rules before it", async () => {
    change({ start: at(100) });
    challenges.set("web", {});
    challenges.set("gone", {});
    challenges.delete("gone");
    challenges.set("hidden", { hideUntil: at(200) });
    expect(announced()).toEqual(["admins challenge web", "admins challenge gone", "admins challenge-delete gone"]);
    await clock.advance(100_000);
    expect(announced()).toEqual(["all metadata", "all challenge web"]);
    await clock.advance(99_999);
    expect(announced()).toEqual([]);
  });

  test("when the start is moved into the past, and withdrawn when it is moved into the future", () => {
    change({ start: at(3_600) });
    challenges.set("web", {});
    announced();
    change({ start: at(-3_600) });
    expect(announced()).toEqual(["all challenge web"]);
    change({ start: at(3_600) });
    expect(announced()).toEqual(["all challenge-delete web", "admins challenge web"]);
  });
});

test("afterwards nothing is left, and clients reload with the next change", () => {
  challenges.set("web", {});
  stop();
  expect([clock.timers, restarts]).toEqual([0, 1]);
});
