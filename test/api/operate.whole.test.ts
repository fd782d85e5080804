/** The API as organisers use it, on `berg up` with simulated pods: the Competition, pages, and the instances of all. */
import { randomUUID } from "node:crypto";
import type {
  AdminInstance,
  AdminInstances,
  Challenge,
  Instance,
  InstanceEvents,
  Metadata,
  Page,
  Problem,
  ServerMessage,
  Timeline,
} from "@berg/api/wire";
import { type Client, Pods } from "@berg/kube";
import { ChallengeInstances, Challenges, Competitions, finalizers, Pages } from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../runtime/eventually.ts";
import { type SignedIn, Site } from "./site.ts";

let site: Site;
let client: Client;
let player: SignedIn;
let admin: SignedIn;

beforeAll(async () => {
  site = await Site.start();
  client = await site.client();
  player = await site.signIn("player");
  admin = await site.signIn("admin");
});
afterAll(async () => {
  await client?.close();
  await site?.[Symbol.asyncDispose]();
});

const isRunning = ({ status }: Instance) => status === 2;
const isEmpty = ({ name }: Instance) => name === "";
const timeFromNow = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString().replace(/\.\d+/, "");

function setCompetition(spec: object): Promise<unknown> {
  return client.patch(Competitions, "berg", "competition", { type: "merge", body: { spec } });
}

async function metadata(): Promise<Metadata> {
  return (await admin.call<Metadata>("/api/metadata")).body;
}

const codeOf = async (answer: Promise<{ status: number; body: unknown }>) => {
  const { status, body } = await answer;
  return [status, (body as Problem | undefined)?.code];
};

describe("the Competition", () => {
  test("is created by berg up: open, without an end, for everybody to read", async () => {
    const { spec } = await client.get(Competitions, "berg", "competition");
    expect(spec.registration.mode).toBe("closed");
    expect(await metadata()).toMatchObject({ end: "9999-12-31T23:59:59.000Z", allowAnonymousAccess: true });
  });

  test("changes what everybody reads within moments, and open pages hear of it", async () => {
    const { socket, messages } = await player.follow();
    await setCompetition({
      title: "Winter CTF",
      organiser: "The Organisers",
      links: [{ title: "x", url: "https://x.ch" }],
    });
    await eventually("it is announced", () => messages.some(({ type }) => type === "metadata"));
    expect(await metadata()).toMatchObject({ eventName: "Winter CTF", links: [{ title: "x", url: "https://x.ch" }] });
    socket.close();
  });

  test("before its start, only admins see and start challenges; at the start they appear", async () => {
    await setCompetition({ start: timeFromNow(60) });
    await eventually(
      "it has not started",
      async () => (await site.call<Challenge[]>("/api/challenges")).body.length === 0,
    );
    expect(await codeOf(site.call("/api/challenges/notes"))).toEqual([400, "not_started"]);
    expect(await codeOf(player.start("notes"))).toEqual([400, "not_started"]);
    expect((await admin.call<Challenge[]>("/api/challenges")).body).not.toHaveLength(0);
    const { socket, messages } = await player.follow();
    // Whole seconds: the next one may begin at once.
    await setCompetition({ start: timeFromNow(2 / 60) });
    await eventually("challenges are announced", () => messages.some(({ type }) => type === "challenge"));
    expect((await site.call<Challenge[]>("/api/challenges")).body).not.toHaveLength(0);
    socket.close();
  });

  test("in a pause nothing is started", async () => {
    await setCompetition({ pause: { start: timeFromNow(-1) } });
    await eventually("it is paused", async () => (await metadata()).pauseStart !== null);
    expect(await codeOf(player.start("notes"))).toEqual([400, "competition_paused"]);
    await setCompetition({ pause: null });
    await eventually("it goes on", async () => (await metadata()).pauseStart === null);
  });

  test("after its end nothing is started, unless players may practise", async () => {
    const end = timeFromNow(-1);
    await setCompetition({ start: "2026-01-01T00:00:00Z", end });
    await eventually("it is over", async () => !(await metadata()).end.startsWith("9999"));
    expect(await codeOf(player.start("notes"))).toEqual([400, "competition_over"]);
    await setCompetition({ end, afterEnd: "practice" });
    await eventually("players practise", async () => (await metadata()).afterEnd === "practice");
    expect((await player.start("notes")).status).toBe(200);
    await player.stop();
    await setCompetition({ end: null, afterEnd: "closed" });
    await eventually("it goes on", async () => (await metadata()).end.startsWith("9999"));
    await player.until("is gone", ({ name }) => name === "");
  });

  test("may be for players only", async () => {
    await setCompetition({ visibility: { challenges: "players" } });
    await eventually("it is closed", async () => (await site.call("/api/challenges")).status === 401);
    for (const path of ["/api/metadata", "/api/players", "/api/pages", "/api/challenges/notes"]) {
      expect(await codeOf(site.call(path))).toEqual([401, "sign_in_required"]);
    }
    expect((await player.call("/api/challenges")).status).toBe(200);
    expect((await site.call("/api/sign-in")).status).toBe(200);
    await setCompetition({ visibility: { challenges: "public" } });
    await eventually("it is open", async () => (await site.call("/api/challenges")).status === 200);
  });

  test("that is deleted stays in force, also over a restart", async () => {
    await client.delete(Competitions, "berg", "competition");
    await player.start("notes");
    expect(await metadata()).toMatchObject({ eventName: "Winter CTF" });
    await player.stop();
    await player.until("is gone", isEmpty);
    await client.create(Competitions, { metadata: { namespace: "berg", name: "competition" }, spec: {} } as never);
    await eventually("the new one is followed", async () => (await metadata()).eventName === "Berg");
  });

  test("limits how long instances live, and how often they are extended", async () => {
    await setCompetition({ instances: { timeout: "20m", maxRenewals: 1 } });
    await eventually("the rule holds", async () => {
      const started = await player.start("notes");
      const { renewalsLeft } = started.body;
      await player.until("runs", isRunning);
      if (renewalsLeft === 1) return true;
      await player.stop();
      await player.until("is gone", isEmpty);
      return false;
    });
    const { timeout, startedAt } = await player.instance();
    expect(Date.parse(timeout ?? "") - Date.parse(startedAt ?? "")).toBeLessThan(21 * 60_000);
    expect((await player.renew()).status).toBe(200);
    await player.until("is extended", ({ renewalsLeft }) => renewalsLeft === 0);
    expect(await codeOf(player.renew())).toEqual([409, "renewal_refused"]);
    await setCompetition({ instances: { timeout: null, maxRenewals: null } });
    await player.stop();
    await player.until("is gone", isEmpty);
  });
});

test("pages of the organiser are listed by index, safe, and announced", async () => {
  const { socket, messages } = await player.follow();
  const make = (name: string, spec: object) =>
    client.create(Pages, { metadata: { namespace: "berg", name }, spec } as never);
  await make("rules", { path: "rules", title: "Rules", index: 2, content: "# Be kind\n<script>alert(1)</script>" });
  await make("home", { path: "/", title: "Welcome", index: 1, content: "<b>Hello</b>" });
  const announced = (type: ServerMessage["type"]) => messages.filter((message) => message.type === type).length;
  await eventually("both are announced", () => announced("page") === 2);
  const { body } = await site.call<Page[]>("/api/pages");
  expect(body.map(({ path, title }) => [path, title])).toEqual([
    ["/", "Welcome"],
    ["/rules", "Rules"],
  ]);
  expect(body[1]?.content).toContain("Be kind");
  expect(body[1]?.content).not.toContain("script");
  await client.delete(Pages, "berg", "rules");
  await eventually("its end is announced", () => announced("page-delete") === 1);
  await client.delete(Pages, "berg", "home");
  socket.close();
});

describe("an instance that runs", () => {
  let running: Instance;
  beforeAll(async () => {
    await player.start("vault");
    running = await player.until("runs", isRunning);
  });

  const podsOf = async () => {
    const { status } = await client.get(ChallengeInstances, "berg", `owner-${running.ownerId}`);
    const { items } = await client.list(Pods, { namespace: status?.namespace ?? "" });
    return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(({ metadata }) => metadata.uid);
  };

  test("shows how it started, step by step, for its owner and for admins", async () => {
    const { body } = await player.call<Timeline>("/api/instances/current/timeline");
    expect(body.stages.map(({ stage }) => stage)).toEqual([
      "requested",
      "accepted",
      "namespace",
      "scheduled",
      "image-pulled",
      "ready",
    ]);
    const times = body.stages.map(({ at }) => Date.parse(at ?? ""));
    expect(times.every((time, index) => index === 0 || time >= (times[index - 1] ?? 0))).toBe(true);
    expect(body.failure).toBeNull();
    expect((await admin.call<Timeline>(`/api/instances/${running.id}/timeline`)).body).toEqual(body);
  });

  test("is restarted with the same id, addresses and time, and other pods", async () => {
    const before = await podsOf();
    expect((await player.call("/api/instances/current/restart", { method: "POST" })).status).toBe(200);
    await eventually("its pods are others", async () => {
      const after = await podsOf();
      return after.length === before.length && after.every((uid) => !before.includes(uid));
    });
    const after = await player.until("runs again", isRunning);
    const kept = ({ id, services, timeout, startedAt }: Instance) => ({ id, services, timeout, startedAt });
    expect(kept(after)).toEqual(kept(running));
  });

  test("has events for staff, without its flag", async () => {
    const { body, text } = await admin.call<InstanceEvents>(`/api/instances/${running.id}/events`);
    expect(body.map(({ reason }) => reason)).toContain("InstanceReady");
    const { spec } = await client.get(ChallengeInstances, "berg", `owner-${running.ownerId}`);
    expect(spec.flag).toBeDefined();
    expect(text).not.toContain(spec.flag);
    expect((await admin.call(`/api/instances/${running.id}/logs`)).status).toBe(200);
  });

  test.each(["timeline", "logs", "events"])("shows its %s to no other player", async (what) => {
    expect(await codeOf(player.call(`/api/instances/${running.id}/${what}`))).toEqual([403, "role_required"]);
    expect(await codeOf(site.call(`/api/instances/${running.id}/${what}`))).toEqual([401, "sign_in_required"]);
    expect(await codeOf(admin.call(`/api/instances/${randomUUID()}/${what}`))).toEqual([404, "not_found"]);
  });

  test("is found in the list of organisers by owner, challenge and phase", async () => {
    const list = async (query: string) => (await admin.call<AdminInstances>(`/api/admin/instances?${query}`)).body;
    expect(await list("")).toMatchObject({ total: 1, page: 1, items: [{ name: "vault", ownerName: "Player" }] });
    expect(await list("search=PLAY&challenge=vault&phase=Running&sort=owner&order=asc")).toMatchObject({ total: 1 });
    expect(await list("challenge=notes")).toMatchObject({ total: 0, items: [] });
    expect(await list("page=2")).toMatchObject({ total: 1, items: [] });
    const ended = await list("state=ended&search=notes&sort=challenge&pageSize=1");
    expect(ended.items).toHaveLength(1);
    expect(ended.total).toBeGreaterThan(1);
    expect(ended.items[0]).toMatchObject({ name: "notes", phase: "Terminated", terminationReason: "UserRequest" });
    expect(await list("state=all&search=%25")).toMatchObject({ total: 0 });
    for (const query of ["sort=flag", "page=0", "pageSize=1000", "state=x"]) {
      expect(await codeOf(admin.call(`/api/admin/instances?${query}`))).toEqual([400, "invalid_request"]);
    }
    expect(await codeOf(player.call("/api/admin/instances"))).toEqual([403, "role_required"]);
  });

  test("is extended by an admin, and uses up nothing of its owner's", async () => {
    const { timeout, renewalsLeft } = await player.instance();
    const extend = (minutes: number, who = admin) =>
      who.call<AdminInstance>(`/api/instances/${running.id}/extend`, { method: "POST", body: { minutes } });
    expect(await codeOf(extend(10, player))).toEqual([403, "role_required"]);
    expect(await codeOf(extend(-5))).toEqual([400, "invalid_request"]);
    expect((await extend(30)).status).toBe(200);
    const extended = await player.until("has more time", (now) => now.timeout !== timeout);
    expect(Date.parse(extended.timeout ?? "") - Date.parse(timeout ?? "")).toBe(30 * 60_000);
    expect(extended.renewalsLeft).toBe(renewalsLeft);
  });

  test("is stopped by an admin, and says so afterwards", async () => {
    const { socket, messages } = await admin.follow();
    expect(await codeOf(player.call(`/api/instances/${running.id}/stop`, { method: "POST" }))).toEqual([
      403,
      "role_required",
    ]);
    expect((await admin.call(`/api/instances/${running.id}/stop`, { method: "POST" })).status).toBe(200);
    await player.until("is gone", isEmpty);
    const { body } = await player.call<Instance[]>("/api/instances/historic");
    expect(body.find(({ id }) => id === running.id)).toMatchObject({ reason: "AdminTermination" });
    await eventually("admins see what happens to it", () =>
      messages.some(({ type, message }) => type === "instance" && (message as Instance).ownerId === running.ownerId),
    );
    // Still there, though its pods are gone.
    const timeline = await admin.call<Timeline>(`/api/instances/${running.id}/timeline`);
    expect(timeline.body.stages.every(({ at }) => at !== null)).toBe(true);
    expect(await codeOf(admin.call(`/api/instances/${running.id}/stop`, { method: "POST" }))).toEqual([
      409,
      "nothing_running",
    ]);
    socket.close();
  });
});

test("an instance that somebody else created is its owner's, can be stopped, and keeps its finalizers", async () => {
  const { id: ownerId } = await player.player();
  await client.create(ChallengeInstances, {
    metadata: { namespace: "berg", name: "by-hand" },
    spec: { challengeRef: { name: "notes", namespace: "berg" }, ownerId, flag: "flag{by_hand}" },
  } as never);
  const shown = await player.until("is shown", isRunning);
  const { metadata: found } = await client.get(ChallengeInstances, "berg", "by-hand");
  expect(found.finalizers).not.toContain(finalizers.api);
  expect((await player.start("jail")).body).toMatchObject({ id: shown.id, name: "notes" });
  await player.stop();
  await player.until("is gone", isEmpty);
});

test("an author reads the logs of the own challenges alone", async () => {
  const { id } = await admin.player();
  await client.patch(Challenges, "berg", "notes", { type: "merge", body: { spec: { owners: [id] } } });
  const { body: key } = await admin.call<string>("/api/players/current/api-key?scopes=", {
    method: "DELETE",
    headers: { accept: "application/json" },
  });
  await player.start("notes");
  const { id: instanceId } = await player.until("runs", isRunning);
  // Without scopes a key has the rights of a player: not even those of an author.
  const headers = { authorization: `Bearer ${key}` };
  expect(await codeOf(site.call(`/api/instances/${instanceId}/logs`, { headers }))).toEqual([403, "role_required"]);
  await player.stop();
  await player.until("is gone", isEmpty);
});
