/** What holds for the outbox on both databases, with a real SMTP server. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createOutbox } from "../outbox/create-outbox.ts";
import { claimNext } from "../outbox/store.ts";
import { TestSmtpServer } from "./smtp-server.ts";
import { TestApi } from "./test-api.ts";

const email = "ada@example.com";

export function describeOutbox(name: string, newDatabase: () => Promise<string>): void {
  describe(name, () => {
    let smtp: TestSmtpServer;
    let api: TestApi;
    beforeEach(async () => {
      smtp = await TestSmtpServer.start();
      api = await TestApi.start({ database: await newDatabase(), mail: smtp.settings });
    });
    afterEach(async () => {
      await api[Symbol.asyncDispose]();
      await smtp[Symbol.asyncDispose]();
    });

    const addPlayer = async (player: string, more: object = {}) => api.signedIn(player, { email, ...more });
    /** The route starts a round; waiting for it again ends with that round. */
    const ask = async (address = email, from = "192.0.2.1") => {
      const answer = await api.call("POST", "/api/sign-in/lost", { body: { email: address }, address: from });
      await api.outbox.run();
      return answer;
    };
    const rows = () => api.db.selectFrom("outbox").selectAll().execute();
    const retryNow = async () => {
      await api.db.updateTable("outbox").set({ due_at: api.clock.now() }).execute();
      await api.outbox.run();
    };

    test("mails a one-time link that signs in, and keeps nothing", async () => {
      const { playerId } = await addPlayer("Ada");
      const answer = await ask("  ADA@Example.COM ");
      expect([answer.status, answer.text]).toEqual([202, "null"]);
      expect(smtp.received).toMatchObject([{ to: [email], from: "noreply@ctf.example.com" }]);
      expect(smtp.received[0]?.text).toContain("Subject: Sign in to Test");
      expect(smtp.received[0]?.text).toContain("Sign in as Ada:");
      expect(await rows()).toEqual([]);
      const token = smtp.links[0]?.split("#")[1];
      const { cookie } = await api.call("POST", "/api/sign-in", { body: { token } });
      const { body } = await api.call<{ id: string }>("GET", "/api/players/current", { headers: { cookie } });
      expect(body.id).toBe(playerId);
      expect((await api.call("POST", "/api/sign-in", { body: { token } })).status).toBe(403);
    });

    test("names all accounts of the address in one mail, up to ten, and none of a provider or deleted one", async () => {
      await addPlayer("Ada");
      const gone = await addPlayer("Gone");
      expect((await gone.call("DELETE", "/api/players/current")).status).toBe(200);
      await addPlayer("Elsewhere", { federatedId: "https://id.example.com#1" });
      await addPlayer("Bob");
      await ask();
      expect(smtp.received).toHaveLength(1);
      expect(smtp.links).toHaveLength(2);
      for (let count = 0; count < 12; count++) await addPlayer(`More ${count}`);
      await ask();
      expect(smtp.links).toHaveLength(12);
    });

    test("answers the same whether or not the address is known, and sends strangers nothing", async () => {
      await addPlayer("Ada");
      const [known, unknown] = [await ask(), await ask("eve@example.com")];
      const { date: _, ...headers } = known.headers;
      expect(unknown).toMatchObject({ status: known.status, text: known.text, headers });
      expect(smtp.received).toHaveLength(1);
      expect(await rows()).toEqual([]);
    });

    test("stores the address alone while a message waits, and nothing after its last failure", async () => {
      await addPlayer("Ada");
      smtp.refuse = { recipient: 450 };
      await ask();
      expect(await rows()).toMatchObject([{ attempts: 1, error: "EENVELOPE 450", body: JSON.stringify({ email }) }]);
      for (let attempt = 2; attempt <= 10; attempt++) await retryNow();
      expect(await rows()).toMatchObject([{ attempts: 10, body: null, failed_at: api.clock.now() }]);
      smtp.refuse = {};
      await retryNow();
      expect([smtp.received, api.outbox.pending]).toEqual([[], 0]);
    });

    test("tries again later after a 4xx, with longer and longer pauses", async () => {
      await addPlayer("Ada");
      smtp.refuse = { mail: 451 };
      await ask();
      const pauses: number[] = [];
      for (let attempt = 1; attempt <= 8; attempt++) {
        const [row] = await rows();
        pauses.push((row?.due_at ?? 0) - api.clock.now());
        await retryNow();
      }
      pauses.forEach((pause, index) => {
        const ceiling = Math.min(600_000, 5_000 * 2 ** index);
        expect(pause).toBeGreaterThanOrEqual(ceiling / 2);
        expect(pause).toBeLessThanOrEqual(ceiling);
      });
      smtp.refuse = {};
      await retryNow();
      expect([smtp.received.length, await rows()]).toEqual([1, []]);
    });

    test.each([{ recipient: 550 }, { mail: 554 }])("gives up at once after a 5xx: %o", async (refuse) => {
      await addPlayer("Ada");
      smtp.refuse = refuse;
      await ask();
      expect(await rows()).toMatchObject([{ attempts: 1, body: null, failed_at: api.clock.now() }]);
    });

    test("waits for a server that is away, without using up the tries of every message", async () => {
      await addPlayer("Ada");
      await addPlayer("Bob", { email: "bob@example.com" });
      await smtp[Symbol.asyncDispose]();
      await api.outbox.enqueue(api.db, "lost-links", { email });
      await api.outbox.enqueue(api.db, "lost-links", { email: "bob@example.com" });
      await api.outbox.run();
      expect((await rows()).map(({ attempts }) => attempts).sort()).toEqual([0, 1]);
      expect(api.outbox.pending).toBe(2);
      smtp = await TestSmtpServer.start({}, smtp.port);
      await retryNow();
      expect(smtp.received.flatMap(({ to }) => to).sort()).toEqual([email, "bob@example.com"]);
    });

    test("does not send what waited for more than an hour", async () => {
      await addPlayer("Ada");
      await api.outbox.enqueue(api.db, "lost-links", { email });
      api.clock.jumpWall(3_600_001);
      await api.outbox.run();
      expect(smtp.received).toEqual([]);
      expect(await rows()).toMatchObject([{ body: null, error: "EXPIRED" }]);
    });

    test("is delivered once by workers at the same time", async () => {
      const count = 12;
      await using more = new AsyncDisposableStack();
      const others = [1, 2, 3].map(() => more.use(createOutbox(api.context, smtp.settings)));
      for (let index = 0; index < count; index++) {
        await addPlayer(`P${index}`, { email: `p${index}@example.com` });
        await api.outbox.enqueue(api.db, "lost-links", { email: `p${index}@example.com` });
      }
      await Promise.all([api.outbox, ...others].map((worker) => worker.run()));
      expect(smtp.received.flatMap(({ to }) => to).sort()).toEqual(
        Array.from({ length: count }, (_, index) => `p${index}@example.com`).sort(),
      );
    });

    test("claimed by a worker that died is delivered by another, after the claim has ended", async () => {
      await addPlayer("Ada");
      await api.outbox.enqueue(api.db, "lost-links", { email });
      const now = api.clock.now();
      const claimed = await claimNext(api.db, { now, until: now + 300_000 });
      expect(claimed?.attempts).toBe(1);
      await api.outbox.run();
      expect(smtp.received).toEqual([]);
      api.clock.jumpWall(300_000);
      await api.outbox.run();
      expect([smtp.received.length, await rows()]).toEqual([1, []]);
    });

    test("is cut off where the server hangs, and tried again", async () => {
      await addPlayer("Ada");
      const held = Promise.withResolvers<void>();
      smtp.hold = held.promise;
      await api.call("POST", "/api/sign-in/lost", { body: { email } });
      await expect.poll(() => smtp.connections).toBe(1);
      await api.clock.advance(20_000);
      await expect.poll(rows).toMatchObject([{ attempts: 1, error: "EABORT" }]);
      smtp.hold = undefined;
      held.resolve();
      await retryNow();
      expect(smtp.received).toHaveLength(1);
    });

    test("stops after the delivery under way", async () => {
      await addPlayer("Ada");
      const held = Promise.withResolvers<void>();
      smtp.hold = held.promise;
      await api.outbox.enqueue(api.db, "lost-links", { email });
      await api.outbox.enqueue(api.db, "lost-links", { email });
      void api.outbox.run();
      await expect.poll(() => smtp.connections).toBe(1);
      const stopped = api.outbox[Symbol.asyncDispose]();
      held.resolve();
      await stopped;
      expect([smtp.received.length, (await rows()).length]).toEqual([1, 1]);
      await api.outbox.run();
      expect(smtp.received).toHaveLength(1);
    });

    test("logs no address, link or answer of the server", async () => {
      await addPlayer("Ada");
      await ask();
      smtp.refuse = { recipient: 450 };
      await ask();
      smtp.refuse = { recipient: 550 };
      await retryNow();
      const logged = api.logged.join("\n");
      expect(logged).toContain("EENVELOPE 550");
      const tokens = smtp.links.map((link) => link.split("#")[1] ?? "");
      for (const secret of [email, "example.com", ...tokens]) expect(logged).not.toContain(secret);
    });

    test("is limited by the address of the sender and by the e-mail address", async () => {
      const statuses: number[] = [];
      for (let count = 0; count < 4; count++) statuses.push((await ask(email, `192.0.2.${count}`)).status);
      expect(statuses).toEqual([202, 202, 202, 429]);
      const from: number[] = [];
      for (let count = 0; count < 11; count++) from.push((await ask(`p${count}@example.com`, "192.0.2.99")).status);
      expect(from).toEqual([...Array(10).fill(202), 429]);
    });
  });
}
