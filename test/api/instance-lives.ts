/** Lives of instances as players ask for them, on `berg up` and on a cluster with two replicas. */
import type { Instance } from "@berg/api/wire";
import type { Client } from "@berg/kube";
import { annotations, ChallengeInstances, Challenges } from "@berg/resources";
import { describe, expect, test } from "vitest";
import { eventually } from "../runtime/eventually.ts";
import type { Host, SignedIn } from "./site.ts";

export interface GivenSite {
  site: Host;
  client: Client;
  player: SignedIn;
  signInAdmin(): Promise<SignedIn>;
  /** What the database holds, oldest first. */
  rows(): Promise<StoredRow[]>;
}

export interface StoredRow {
  id: string;
  state: string;
  flag: string | null;
  termination_reason: string | null;
}

export const isRunning = ({ status }: Instance) => status === 2;
export const isEmpty = ({ name }: Instance) => name === "";

/** With the challenges `notes` and `vault`, and a player who has started nothing yet. */
export function describeInstances(given: () => GivenSite): void {
  describe("an instance", () => {
    test("starts, is announced at each step, gets more time and stops", async () => {
      const { player, rows } = given();
      const { socket, messages } = await player.follow();
      const started = await player.start("notes");
      expect(started.body).toMatchObject({ name: "notes", status: 1, playerId: (await player.player()).id });
      const running = await player.until("runs", isRunning);
      expect(running).toMatchObject({ id: started.body.id, phase: "Running", renewalsLeft: 3 });
      expect(running.services).toEqual([expect.objectContaining({ name: "web", appProtocol: "http" })]);
      expect(running.stages.every(({ at }) => at !== null)).toBe(true);
      const phases = () => messages.flatMap((message) => (message.type === "instance" ? [message.message.phase] : []));
      await eventually("the page knows", () => phases().includes("Running"));

      expect((await player.start("vault")).body).toMatchObject({ id: running.id, name: "notes" });
      expect((await player.renew()).status).toBe(200);
      const renewed = await player.until("has more time", ({ renewalsLeft }) => renewalsLeft === 2);
      expect(renewed.timeout && running.timeout && renewed.timeout >= running.timeout).toBe(true);

      expect((await player.stop()).body).toMatchObject({ id: running.id, status: 3, services: [] });
      expect(await player.until("is gone", isEmpty)).toMatchObject({ id: null, status: 0, services: [] });
      await eventually("the page knows", () => phases().at(-1) === "");
      expect((await player.stop()).body).toMatchObject({ id: null, name: "", status: 0 });
      expect(await rows()).toEqual([expect.objectContaining({ state: "ended", termination_reason: "UserRequest" })]);
      socket.close();
    });

    test("is one, however many starts come at the same time", async () => {
      const { client, player, rows } = given();
      const answers = await Promise.all(Array.from({ length: 8 }, () => player.start("notes")));
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
      await player.until("runs", isRunning);
      expect((await client.list(ChallengeInstances, { namespace: "berg" })).items).toHaveLength(1);
      expect((await rows()).filter(({ state }) => state !== "ended")).toHaveLength(1);
    });

    test("is replaced by another, which waits until the first is gone", async () => {
      const { player, rows } = given();
      const before = await player.instance();
      const replaced = await player.start("vault", { replace: true });
      expect(replaced.body).toMatchObject({ name: "vault", status: 1 });
      expect(replaced.body.id).not.toBe(before.id);
      const running = await player.until("runs", isRunning);
      expect(running).toMatchObject({ id: replaced.body.id, name: "vault" });
      expect((await rows()).filter(({ state }) => state !== "ended").map(({ id }) => id)).toEqual([running.id]);
    });

    test("that somebody deletes in Kubernetes has ended", async () => {
      const { client, player, rows } = given();
      const { id } = await player.instance();
      const [object] = (await client.list(ChallengeInstances, { namespace: "berg" })).items;
      expect(object?.metadata.annotations?.[annotations.instanceId]).toBe(id);
      await client.delete(ChallengeInstances, "berg", object?.metadata.name ?? "");
      await player.until("is gone", isEmpty);
      expect((await rows()).find((row) => row.id === id)).toMatchObject({ state: "ended" });
    });

    test("that fails says why, and can be tried again", async () => {
      const { site, client, player } = given();
      const spec = { containers: [{ hostname: "web", image: "web:1", additionalCapabilities: ["SYS_ADMIN"] }] };
      await client.create(Challenges, { metadata: { namespace: "berg", name: "broken" }, spec } as never);
      await eventually("it is known", async () => (await site.call("/api/challenges/broken")).status === 200);
      const first = await player.start("broken");
      const failed = await player.until("has failed", ({ phase }) => phase === "Failed");
      // What authors have to change is not for players.
      expect(failed).toMatchObject({ reason: "ChallengeInvalid", message: expect.stringContaining("has a fault") });
      const admin = await given().signInAdmin();
      const { body: all } = await admin.call<Instance[]>("/api/instances");
      expect(all.find(({ id }) => id === failed.id)?.message).toContain("SYS_ADMIN");
      const again = await player.start("notes");
      expect(again.body.id).not.toBe(first.body.id);
      await player.until("runs", isRunning);
    });
  });
}
