/** The API on a cluster: two replicas, PostgreSQL, a real control plane. */
import { ChallengeInstances } from "@berg/resources";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { missingPostgres } from "../postgres/missing.ts";
import { eventually } from "../runtime/eventually.ts";
import { startWorld } from "../scenarios/world.ts";
import { Cluster } from "./cluster.ts";
import { describeInstances, isEmpty, isRunning, type StoredRow } from "./instance-lives.ts";
import type { SignedIn } from "./site.ts";

describe.skipIf((await missingControlPlane()) || missingPostgres())("two replicas", () => {
  let cluster: Cluster;
  let player: SignedIn;
  beforeAll(async () => {
    cluster = await Cluster.start(() => startWorld());
    player = await cluster.signIn("Player");
  });
  afterAll(() => cluster?.[Symbol.asyncDispose]());

  const rows = () => cluster.rows<StoredRow>("instances");
  const objects = async () => (await cluster.client.list(ChallengeInstances, { namespace: "berg" })).items;

  describeInstances(() => ({
    ...{ site: cluster, client: cluster.client, player, rows },
    signInAdmin: () => cluster.signIn("Admin", ["admin"]),
  }));

  test("only the leader creates and deletes ChallengeInstances", async () => {
    const leader = await cluster.leader();
    expect(leader.writes().filter(({ method }) => method !== "PATCH").length).toBeGreaterThan(4);
    for (const replica of cluster.replicas.filter((one) => one !== leader)) {
      // What a player asks of a running instance, such as more time, is patched by the replica that is asked.
      expect(replica.writes().filter(({ method }) => method !== "PATCH")).toEqual([]);
    }
  });

  test("the leader measures how quickly it follows, and every replica its connections", async () => {
    const leader = await cluster.leader();
    const text = await leader.metrics();
    expect(text).toMatch(/berg_api_sync_lag_seconds_count\{change="start"\} [1-9]/);
    expect(text).toMatch(/berg_api_sync_lag_seconds_count\{change="stop"\} [1-9]/);
    expect(text).toMatch(/berg_api_instance_stage_seconds_count\{stage="ready"\} [1-9]/);
    for (const replica of cluster.replicas) {
      expect(await replica.metrics()).toMatch(/berg_api_database_pool_in_use \d/);
    }
  });

  test("a leader that was frozen past its lease writes nothing when it wakes", async () => {
    await player.stop();
    await player.until("is gone", isEmpty);
    // The finalizer is removed after the end was stored.
    await eventually("its object is gone", async () => (await objects()).length === 0);
    const frozen = await cluster.leader();
    frozen.freeze();
    const before = frozen.writes().length;
    expect((await player.start("notes")).status).toBe(200);
    const running = await player.until("runs", isRunning);
    frozen.thaw();
    await eventually("it knows", () => frozen.output.includes("the lease was lost"));
    await player.stop();
    await player.until("is gone", isEmpty);
    expect(frozen.writes().slice(before)).toEqual([]);
    expect((await rows()).find(({ id }) => id === running.id)).toMatchObject({ state: "ended" });
  });

  test("a leader that is killed is replaced, and what was asked for starts", async () => {
    await (await cluster.leader()).kill();
    await player.start("vault");
    await player.until("runs", isRunning);
    await player.stop();
    await player.until("is gone", isEmpty);
    expect((await rows()).every(({ state }) => state === "ended")).toBe(true);
  });

  test("without a database, requests are answered at once, and go on when it is back", async () => {
    await cluster.postgres.stop();
    // Who asks is cached for a moment; the instance is read from the database.
    const answer = await player.call("/api/instances/current");
    expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "2"]);
    expect((await cluster.call("/api/challenges")).status).toBe(200);
    await cluster.postgres.start();
    await eventually("it answers", async () => (await player.call("/api/instances/current")).status === 200);
    await player.start("notes");
    await player.until("runs", isRunning);
    await player.stop();
    await player.until("is gone", isEmpty);
  });

  test("no flag was printed", async () => {
    const flags = (await rows()).flatMap(({ flag }) => flag ?? []);
    expect(flags.length).toBeGreaterThan(2);
    for (const { output } of cluster.replicas) for (const flag of flags) expect(output).not.toContain(flag);
  });
});
