import { beforeEach, describe, expect, test } from "vitest";
import { ConfigMaps } from "../kinds.ts";
import { silentLogger } from "../log.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { storedConfigMap } from "../testing/objects.ts";
import { json, refuse, ScriptedServer } from "../testing/scripted-server.ts";
import { createClient } from "./rest-client.ts";
import { ServerClock } from "./server-clock.ts";

const noon = Date.parse("2026-01-01T12:00:00Z");
const tenMinutes = 600_000;
const answer = (time: number, status = 200) => ({ status, headers: { date: new Date(time).toUTCString() } });

describe("the clock of the server", () => {
  let own: FakeClock;
  let warnings: unknown[];
  let clock: ServerClock;
  beforeEach(() => {
    own = new FakeClock(noon + tenMinutes);
    warnings = [];
    clock = new ServerClock(own, { ...silentLogger, warn: (fields) => void warnings.push(fields) });
  });

  test("is our own until the server has answered", () => {
    expect([clock.now(), clock.aheadMs]).toEqual([noon + tenMinutes, 0]);
  });

  test("is that of its last answer, and goes on from there", async () => {
    clock.heard(answer(noon));
    expect(clock.now()).toBe(noon);
    await own.advance(1500);
    expect([clock.now(), clock.aheadMs]).toEqual([noon + 1500, tenMinutes]);
    clock.heard(answer(noon - 5000));
    expect(clock.now()).toBe(noon - 5000);
  });

  test("is never early, whenever in its second the server answers", async () => {
    for (let ms = 0; ms < 3000; ms += 130) {
      const server = noon + ms;
      clock.heard(answer(server));
      expect(clock.now()).toBeLessThanOrEqual(server);
      expect(clock.now()).toBeGreaterThan(server - 1000);
      await own.advance(130);
    }
  });

  test("does not follow a step of our own", () => {
    clock.heard(answer(noon));
    own.jumpWall(3_600_000);
    expect(clock.now()).toBe(noon);
  });

  test.each([
    ["says none", { status: 200, headers: {} }],
    ["says one that cannot be read", { status: 200, headers: { date: "noon" } }],
    ["may be of a proxy", answer(noon, 502)],
  ])("stays where an answer %s", (_, head) => {
    clock.heard(head);
    expect(clock.now()).toBe(noon + tenMinutes);
  });

  test("tells once that ours is off by more than a few seconds, and again when it was right in between", () => {
    const told = (offMs: number) => {
      clock.heard(answer(own.now() - offMs));
      return warnings.splice(0);
    };
    expect(told(4000)).toEqual([]);
    expect(told(tenMinutes)).toEqual([{ aheadSeconds: 600 }]);
    expect(told(tenMinutes)).toEqual([]);
    expect(told(0)).toEqual([]);
    expect(told(-tenMinutes)).toEqual([{ aheadSeconds: -600 }]);
  });
});

describe("a client", () => {
  test("sets it by calls and watches, and not by refusals", async () => {
    const at = (time: number) => ({ headers: { date: new Date(time).toUTCString() } });
    await using server = await ScriptedServer.start(
      refuse(404, {}, { date: new Date(noon + 1000).toUTCString() }),
      json(storedConfigMap("web", 7), at(noon + 2000)),
      json({ type: "BOOKMARK", object: { metadata: { resourceVersion: "9" } } }, at(noon + 3000)),
    );
    const own = new FakeClock(noon);
    const serverClock = new ServerClock(own);
    const client = createClient({ connection: server.connection(), serverClock });
    await client.get(ConfigMaps, "default", "gone").catch(() => {});
    expect(serverClock.now()).toBe(noon);
    await client.get(ConfigMaps, "default", "web");
    expect(serverClock.now()).toBe(noon + 2000);
    let atOpen = 0;
    const onOpen = () => {
      atOpen = serverClock.now();
    };
    await client.watch(ConfigMaps, { onOpen }, () => {});
    expect(atOpen).toBe(noon + 3000);
    await client.close();
  });
});
