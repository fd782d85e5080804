import { describe, expect, test } from "vitest";
import type { Lease } from "../kinds.ts";
import { type Logger, silentLogger } from "../log.ts";
import { FakeClock, settle } from "../testing/fake-clock.ts";
import { FakeLeases, type Network } from "../testing/fake-leases.ts";
import { ProcessClock } from "../testing/process-clock.ts";
import { refusal } from "../testing/refusal.ts";
import { Elector } from "./elector.ts";
import { LeadershipLost } from "./fence.ts";

const never = new AbortController().signal;
const released: Lease["spec"] = { holderIdentity: "", leaseDurationSeconds: 1, leaseTransitions: 4 };
const heldByOther: Lease["spec"] = {
  holderIdentity: "other",
  leaseDurationSeconds: 15,
  renewTime: "2026-01-01T00:00:00.000000Z",
  leaseTransitions: 4,
};

interface SetUp {
  leases?: FakeLeases;
  network?: Network;
  identity?: string;
  isExclusive?: boolean;
  log?: Logger;
}

function setUp(options: SetUp = {}) {
  const world = new FakeClock();
  const clock = new ProcessClock(world);
  const leases = options.leases ?? new FakeLeases();
  const stop = new AbortController();
  const seen: { leading?: AbortSignal; end?: string; master: boolean[] } = { master: [] };
  const elector = new Elector({
    client: leases.client(options.network),
    namespace: "ctf",
    name: "berg",
    identity: options.identity ?? "me",
    isExclusive: options.isExclusive ?? false,
    clock,
    random: () => 0,
    log: options.log ?? silentLogger,
    metrics: { leading: (leads) => seen.master.push(leads) },
  });
  const run = () => {
    void elector
      .run((signal) => {
        seen.leading = signal;
      }, stop.signal)
      .then((end) => {
        seen.end = end;
      });
  };
  return { world, clock, leases, elector, stop, seen, run };
}

/** One that leads, from a Lease that was free; the last renewal was begun at the moment this returns. */
async function setUpLeader(options: { network?: Network; log?: Logger } = {}) {
  const leases = new FakeLeases();
  leases.put(released);
  const all = setUp({ ...options, leases });
  all.run();
  await settle();
  expect(all.elector.isLeader).toBe(true);
  return all;
}

describe("a candidate", () => {
  test("takes a released lease at once, and keeps what others wrote on it", async () => {
    const { world, elector, leases, run, seen } = setUp();
    leases.put(released, { team: "blue" });
    run();
    await world.advance(0);
    expect(elector.isLeader).toBe(true);
    expect(seen.leading?.aborted).toBe(false);
    expect(leases.lease?.metadata.labels).toEqual({ team: "blue" });
    expect(leases.lease?.spec).toEqual({
      holderIdentity: "me",
      leaseDurationSeconds: 15,
      acquireTime: "2026-01-01T00:00:00.000000Z",
      renewTime: "2026-01-01T00:00:00.000000Z",
      leaseTransitions: 5,
    });
  });

  test("takes a lease that was made without a spec at once", async () => {
    const { world, elector, leases, run } = setUp();
    leases.put(undefined);
    run();
    await world.advance(0);
    expect(elector.isLeader).toBe(true);
    expect(leases.lease?.spec?.leaseTransitions).toBe(0);
  });

  const waits: { name: string; spec: Lease["spec"]; wantSeconds: number }[] = [
    { name: "held by another", spec: heldByOther, wantSeconds: 15 },
    {
      name: "held by another, with a renewal decades ago",
      spec: { ...heldByOther, renewTime: "1990-01-01T00:00:00.000000Z" },
      wantSeconds: 15,
    },
    {
      name: "held by another, with a renewal decades ahead",
      spec: { ...heldByOther, renewTime: "2090-01-01T00:00:00.000000Z" },
      wantSeconds: 15,
    },
    { name: "held for longer", spec: { ...heldByOther, leaseDurationSeconds: 60 }, wantSeconds: 60 },
    { name: "shortened by hand", spec: { ...heldByOther, leaseDurationSeconds: 2 }, wantSeconds: 15 },
    { name: "blanked by hand", spec: { ...heldByOther, holderIdentity: "" }, wantSeconds: 15 },
    { name: "given our name by hand", spec: { ...heldByOther, holderIdentity: "me" }, wantSeconds: 15 },
  ];
  for (const { name, spec, wantSeconds } of waits) {
    test(`takes a lease ${name} after ${wantSeconds} s of silence, not before`, async () => {
      const { world, elector, leases, run } = setUp();
      leases.put(spec);
      run();
      await world.advance(wantSeconds * 1000 - 1);
      expect(elector.isLeader).toBe(false);
      await world.advance(2001);
      expect(elector.isLeader).toBe(true);
      expect(leases.lease?.spec).toMatchObject({ holderIdentity: "me", leaseTransitions: 5 });
    });
  }

  test("creates a lease that was missing at the first look, as its holder, and leads at once", async () => {
    const { world, elector, leases, run } = setUp();
    run();
    await world.advance(0);
    expect(elector.isLeader).toBe(true);
    expect(leases.calls).toEqual(["get", "create me"]);
    expect(leases.lease?.spec).toEqual({
      holderIdentity: "me",
      leaseDurationSeconds: 15,
      acquireTime: "2026-01-01T00:00:00.000000Z",
      renewTime: "2026-01-01T00:00:00.000000Z",
      leaseTransitions: 0,
    });
    await world.advance(30_000);
    expect(elector.isLeader).toBe(true);
    expect(leases.calls.filter((call) => call.startsWith("create"))).toHaveLength(1);
  });

  test("does not lead by a missing lease that another candidate creates first", async () => {
    const leases = new FakeLeases();
    const network: Network = async ({ verb, arrive }) => {
      if (verb === "create") leases.put(heldByOther);
      return arrive();
    };
    const { world, elector, run } = setUp({ leases, network });
    run();
    await world.advance(14_000);
    expect(elector.isLeader).toBe(false);
    expect(elector.holder).toBe("other");
  });

  test("leads at the next try where the answer to its create was lost", async () => {
    const network: Network = async ({ verb, arrive }) => {
      const answer = arrive();
      if (verb === "create") throw new Error("socket hang up");
      return answer;
    };
    const { world, elector, leases, run } = setUp({ network });
    run();
    await world.advance(1999);
    expect(elector.isLeader).toBe(false);
    await world.advance(1);
    expect(elector.isLeader).toBe(true);
    expect(leases.lease?.spec).toMatchObject({ holderIdentity: "me", leaseTransitions: 0 });
  });

  test("creates a lease that was deleted after it saw it, and leads only when its last holder cannot", async () => {
    const { world, elector, leases, run } = setUp();
    leases.put(heldByOther);
    run();
    await world.advance(1000);
    leases.delete();
    await world.advance(1000);
    expect(leases.calls.at(-1)).toBe("create ");
    await world.advance(14_999);
    expect(elector.isLeader).toBe(false);
    await world.advance(2001);
    expect(elector.isLeader).toBe(true);
  });

  describe("with an exclusive identity", () => {
    const ownLease: Lease["spec"] = {
      ...heldByOther,
      holderIdentity: "me",
      acquireTime: "2026-01-01T00:00:00.000000Z",
    };

    test("takes the lease of its dead predecessor at once", async () => {
      const { world, elector, leases, run } = setUp({ isExclusive: true });
      leases.put(ownLease);
      run();
      await world.advance(0);
      expect(elector.isLeader).toBe(true);
      expect(leases.lease?.spec).toMatchObject({ holderIdentity: "me", leaseTransitions: 5 });
    });

    test("takes it at the next try where a last renewal of the predecessor arrives in between", async () => {
      const leases = new FakeLeases();
      let late = true;
      const network: Network = async ({ verb, arrive }) => {
        if (verb === "update" && late) leases.edit({ renewTime: "2026-01-01T00:00:01.000000Z" });
        if (verb === "update") late = false;
        return arrive();
      };
      const { world, elector, run } = setUp({ leases, network, isExclusive: true });
      leases.put(ownLease);
      run();
      await world.advance(1999);
      expect(elector.isLeader).toBe(false);
      await world.advance(1);
      expect(elector.isLeader).toBe(true);
    });

    test("waits for a lease that another holds", async () => {
      const { world, elector, leases, run } = setUp({ isExclusive: true });
      leases.put(heldByOther);
      run();
      await world.advance(14_999);
      expect(elector.isLeader).toBe(false);
      await world.advance(2001);
      expect(elector.isLeader).toBe(true);
    });

    test("waits for a lease that was given its name by hand while another leads", async () => {
      const { world, elector, leases, run } = setUp({ isExclusive: true });
      leases.put(heldByOther);
      run();
      await world.advance(1000);
      leases.edit({ holderIdentity: "me" });
      await world.advance(15_999);
      expect(elector.isLeader).toBe(false);
      await world.advance(2001);
      expect(elector.isLeader).toBe(true);
    });
  });

  test("never takes a lease that is renewed, however skewed the holder's clock", async () => {
    const { world, elector, leases, run } = setUp();
    leases.put(heldByOther);
    run();
    for (let renewal = 0; renewal < 20; renewal++) {
      await world.advance(9000);
      leases.edit({ renewTime: `1990-01-01T00:00:${renewal + 10}.000000Z` });
    }
    expect(elector.isLeader).toBe(false);
    expect(elector.holder).toBe("other");
    expect(leases.calls.filter((call) => call !== "get")).toEqual([]);
  });

  test("leads at the next try where the answer to the first was lost", async () => {
    let lost = false;
    const network: Network = async ({ verb, arrive }) => {
      const answer = arrive();
      if (verb === "update" && !lost) {
        lost = true;
        throw new Error("socket hang up");
      }
      return answer;
    };
    const { world, elector, leases, run } = setUp({ network });
    leases.put(released);
    run();
    await world.advance(1999);
    expect(elector.isLeader).toBe(false);
    expect(leases.lease?.spec?.holderIdentity).toBe("me");
    await world.advance(1);
    expect(elector.isLeader).toBe(true);
  });

  test("does not lead by an answer that is older than the renew deadline", async () => {
    const answers: (() => void)[] = [];
    let late = true;
    const network: Network = async ({ verb, arrive }) => {
      const answer = arrive();
      if (verb !== "update" || !late) return answer;
      return new Promise((resolve) => answers.push(() => resolve(answer)));
    };
    const { world, clock, elector, leases, run, seen } = setUp({ network });
    leases.put(released);
    run();
    await settle();
    clock.freeze("stopped");
    await world.advance(10_000);
    for (const answer of answers.splice(0)) clock.whenAwake(answer);
    clock.thaw();
    await settle();
    expect(elector.isLeader).toBe(false);
    expect(seen.leading).toBeUndefined();

    late = false;
    await world.advance(2000);
    expect(elector.isLeader).toBe(true);
  });

  test("waits for a lease that was given its name by hand, even where it has tried before", async () => {
    const leases = new FakeLeases();
    leases.put(released);
    const network: Network = async ({ verb, arrive }) => {
      if (verb === "update" && leases.lease?.spec?.holderIdentity === "") leases.put(heldByOther);
      return arrive();
    };
    const { world, elector, run } = setUp({ leases, network });
    run();
    await world.advance(1000);
    leases.edit({ holderIdentity: "me" });
    await world.advance(15_000);
    expect(elector.isLeader).toBe(false);
    await world.advance(2000);
    expect(elector.isLeader).toBe(true);
  });

  test("is beaten in silence by a faster one", async () => {
    const lines: string[] = [];
    const leases = new FakeLeases();
    leases.put(released);
    const network: Network = async ({ verb, arrive }) => {
      if (verb === "update") leases.put(heldByOther);
      return arrive();
    };
    const { world, elector, run } = setUp({ leases, network, log: recordingLogger(lines) });
    run();
    await world.advance(4000);
    expect(elector.isLeader).toBe(false);
    expect(lines.filter((line) => !line.startsWith("info"))).toEqual([]);
  });

  const firstLooks: { name: string; spec: Lease["spec"]; wantHolder: string; wantSeconds: number }[] = [
    { name: "one of another", spec: heldByOther, wantHolder: "other", wantSeconds: 15 },
    { name: "a longer one", spec: { ...heldByOther, leaseDurationSeconds: 60 }, wantHolder: "other", wantSeconds: 60 },
    { name: "a blanked one", spec: { leaseDurationSeconds: 15 }, wantHolder: "nobody", wantSeconds: 15 },
  ];
  for (const { name, spec, wantHolder, wantSeconds } of firstLooks) {
    test(`says once that it waits for a lease, and how long: ${name}`, async () => {
      const lines: string[] = [];
      const { world, leases, run } = setUp({ log: recordingLogger(lines, { withFields: true }) });
      leases.put(spec);
      run();
      await world.advance(10_000);
      const holder = wantHolder === "nobody" ? [] : ['info the lease has a new holder {"holder":"other"}'];
      const waits = `info waiting for the lease {"holder":"${wantHolder}","seconds":${wantSeconds}}`;
      expect(lines).toEqual([...holder, waits]);
    });
  }

  test("does not say that it waits where the lease is free", async () => {
    const lines: string[] = [];
    await setUpLeader({ log: recordingLogger(lines) });
    expect(lines).toEqual(["info the lease has a new holder", "info leading"]);
  });

  const refusedVerbs = ["get", "create"];
  for (const refused of refusedVerbs) {
    test(`without the right to ${refused} says what to do about once a minute, and is not ready until it can`, async () => {
      const lines: string[] = [];
      let forbidden = true;
      const { world, elector, run } = setUp({
        log: recordingLogger(lines, { withFields: true }),
        network: async ({ verb, arrive }) => {
          if (forbidden && verb === refused) throw refusal(403, { reason: "Forbidden", message: "no" });
          return arrive();
        },
      });
      expect(elector.leaseReachable()).toBeUndefined();
      run();
      await world.advance(59_999);
      const remedy = "allow get, create and update on leases in ctf";
      const line = `warn the lease cannot be read or written; trying on {"error":"no","remedy":"${remedy}"}`;
      expect(lines).toEqual([line]);
      expect(elector.leaseReachable()).toBe("cannot read or write the lease ctf/berg: the log says why");
      await world.advance(62_000);
      expect(lines).toEqual([line, line, line]);
      forbidden = false;
      await world.advance(2000);
      expect(elector.leaseReachable()).toBeUndefined();
    });
  }

  test("that could once stays ready through an outage", async () => {
    const lines: string[] = [];
    let down = false;
    const { world, elector, leases, run } = setUp({
      log: recordingLogger(lines, { withFields: true }),
      network: async ({ arrive }) => {
        if (down) throw refusal(503, { message: "away" });
        return arrive();
      },
    });
    leases.put(heldByOther);
    run();
    await world.advance(1000);
    down = true;
    await world.advance(10_000);
    expect(lines.at(-1)).toBe('warn the lease cannot be read or written; trying on {"error":"away"}');
    expect(elector.leaseReachable()).toBeUndefined();
  });

  test("counts transitions from 0 again where one more would not fit", async () => {
    const { world, leases, run } = setUp();
    leases.put({ ...released, leaseTransitions: 2 ** 31 - 1 });
    run();
    await world.advance(0);
    expect(leases.lease?.spec).toMatchObject({ holderIdentity: "me", leaseTransitions: 0 });
  });

  test("stops when asked to, and leaves no timer behind", async () => {
    const { world, leases, run, stop, seen } = setUp();
    leases.put(heldByOther);
    run();
    await world.advance(5000);
    stop.abort(new Error("SIGTERM"));
    await settle();
    expect(seen.end).toBe("stopped");
    expect(world.timers).toBe(0);
  });
});

describe("a leader", () => {
  test("renews every two seconds and keeps its acquire time", async () => {
    const { world, elector, leases } = await setUpLeader();
    await world.advance(60_000);
    expect(elector.isLeader).toBe(true);
    expect(leases.calls.filter((call) => call === "update me")).toHaveLength(31);
    expect(leases.lease?.spec).toMatchObject({
      acquireTime: "2026-01-01T00:00:00.000000Z",
      renewTime: "2026-01-01T00:01:00.000000Z",
      leaseTransitions: 5,
    });
  });

  const outages: { name: string; fail: Network }[] = [
    { name: "is refused", fail: () => Promise.reject(refusal(503)) },
    { name: "gets no answer", fail: () => new Promise(() => {}) },
    { name: "is answered without effect by a proxy", fail: () => Promise.reject(refusal(401)) },
  ];
  for (const { name, fail } of outages) {
    test(`that ${name} is done after the renew deadline, to the millisecond`, async () => {
      let down = false;
      const { world, elector, seen, leases } = await setUpLeader({
        network: (call) => (down ? fail(call) : Promise.resolve(call.arrive())),
      });
      await world.advance(6000);
      down = true;
      await world.advance(9999);
      expect(elector.isLeader).toBe(true);
      expect(seen.leading?.aborted).toBe(false);
      await world.advance(1);
      expect(elector.isLeader).toBe(false);
      expect(seen.leading?.reason).toBeInstanceOf(LeadershipLost);
      expect(seen.end).toBe("lost");
      expect(seen.master).toEqual([false, true, false, false]);

      down = false;
      const { length } = leases.calls;
      await world.advance(120_000);
      expect(leases.calls).toHaveLength(length);
      expect(() => elector.run(() => {}, never)).toThrow("an elector leads at most once");
      expect(elector.isLeader).toBe(false);
      expect(world.timers).toBe(0);
    });
  }

  test("counts from the start of a renewal, not from its answer", async () => {
    let slow = false;
    let down = false;
    const { world, elector } = await setUpLeader({
      network: async ({ arrive }) => {
        if (down) throw refusal(500);
        const answer = arrive();
        if (slow) await new Promise<void>((resolve) => world.setTimer(4000, resolve));
        return answer;
      },
    });
    await world.advance(1000);
    slow = true;
    await world.advance(4999); // begun at 2 s, answered at 6 s
    down = true;
    await world.advance(6000);
    expect(elector.isLeader).toBe(true);
    await world.advance(1);
    expect(elector.isLeader).toBe(false);
  });

  test("goes on through edits by hand that leave it its name, and puts its own values back", async () => {
    const { world, elector, leases } = await setUpLeader();
    await world.advance(1000);
    leases.edit({
      leaseDurationSeconds: 3,
      renewTime: "1990-01-01T00:00:00.000000Z",
      acquireTime: "1990-01-01T00:00:00.000000Z",
    });
    await world.advance(1000);
    expect(elector.isLeader).toBe(true);
    expect(leases.lease?.spec).toMatchObject({
      leaseDurationSeconds: 15,
      acquireTime: "2026-01-01T00:00:00.000000Z",
      renewTime: "2026-01-01T00:00:02.000000Z",
    });
  });

  test("takes back a lease whose holder was blanked", async () => {
    const { world, elector, leases } = await setUpLeader();
    leases.edit({ holderIdentity: "" });
    await world.advance(2000);
    expect(elector.isLeader).toBe(true);
    expect(leases.lease?.spec?.holderIdentity).toBe("me");
  });

  test("makes a deleted lease again and leads on", async () => {
    const { world, elector, leases } = await setUpLeader();
    await world.advance(1000);
    leases.delete();
    await world.advance(3000);
    expect(elector.isLeader).toBe(true);
    expect(leases.lease?.spec).toMatchObject({
      holderIdentity: "me",
      acquireTime: "2026-01-01T00:00:00.000000Z",
      leaseTransitions: 5,
    });
  });

  test("is done at once when it finds another's name", async () => {
    const { world, elector, leases, seen } = await setUpLeader();
    await world.advance(1000);
    leases.edit({ holderIdentity: "other" });
    await world.advance(1000);
    expect(elector.isLeader).toBe(false);
    expect(seen.end).toBe("lost");
    expect(String(seen.leading?.reason)).toContain("other holds the lease");
    expect(leases.lease?.spec?.holderIdentity).toBe("other");
  });

  test("is not brought back by a renewal that is answered after the deadline", async () => {
    let down = false;
    const { world, clock, elector, seen, leases } = await setUpLeader({
      network: ({ verb, arrive }) => {
        const answer = arrive();
        if (!down || verb !== "update") return Promise.resolve(answer);
        return new Promise((resolve) => world.setTimer(4000, () => clock.whenAwake(() => resolve(answer))));
      },
    });
    down = true;
    await world.advance(7999); // the renewal of 6 s is on its way, those before were given up or answered late
    expect(elector.isLeader).toBe(true);
    clock.freeze("stopped");
    await world.advance(12_000);
    clock.thaw();
    await settle();
    expect(leases.lease?.spec?.holderIdentity).toBe("me");
    expect(elector.isLeader).toBe(false);
    expect(seen.end).toBe("lost");
  });

  test("says once that the lease cannot be written, not at every try", async () => {
    const lines: string[] = [];
    let down = false;
    const { world } = await setUpLeader({
      log: recordingLogger(lines),
      network: async ({ arrive }) => {
        if (down) throw refusal(503);
        return arrive();
      },
    });
    down = true;
    await world.advance(6000);
    down = false;
    await world.advance(3000);
    down = true;
    await world.advance(30_000);
    expect(lines.filter((line) => !line.startsWith("info"))).toEqual([
      "warn the lease cannot be read or written; trying on",
      "warn the lease cannot be read or written; trying on",
      "error leadership is lost",
    ]);
  });
});

describe("the fence", () => {
  test("refuses before leadership, lets pass during it, refuses after it", async () => {
    const { world, elector, leases, run, stop } = setUp();
    leases.put(released);
    expect(elector.fence).toThrow(LeadershipLost);
    run();
    await settle();
    expect(elector.fence).not.toThrow();
    await world.advance(5000);
    expect(elector.fence).not.toThrow();
    stop.abort();
    expect(elector.fence).toThrow(LeadershipLost);
  });

  const sleeps: { name: string; sleep: (clock: ProcessClock) => void }[] = [
    { name: "a process that wakes from SIGSTOP", sleep: (clock) => clock.freeze("stopped") },
    { name: "a machine that wakes from suspension", sleep: (clock) => clock.freeze("suspended") },
  ];
  for (const { name, sleep } of sleeps) {
    test(`refuses in ${name} before any timer has fired`, async () => {
      const { world, clock, elector, seen } = await setUpLeader();
      sleep(clock);
      await world.advance(10_000);
      let refused: unknown;
      clock.thaw(() => {
        try {
          elector.fence();
        } catch (error) {
          refused = error;
        }
        expect(seen.leading?.aborted).toBe(false);
      });
      expect(refused).toBeInstanceOf(LeadershipLost);
      await settle();
      expect(seen.leading?.aborted).toBe(true);
      expect(seen.end).toBe("lost");
    });

    test(`lets pass in ${name} within the deadline`, async () => {
      const { world, clock, elector } = await setUpLeader();
      sleep(clock);
      await world.advance(7000);
      clock.thaw(() => expect(elector.fence).not.toThrow());
      await world.advance(5000);
      expect(elector.isLeader).toBe(true);
    });
  }

  test("ends leadership where the wall clock jumps ahead, and aborts only after the refused call has returned", async () => {
    const { clock, elector, seen } = await setUpLeader();
    clock.jumpWall(10_000);
    expect(elector.fence).toThrow(LeadershipLost);
    expect(seen.leading?.aborted).toBe(false);
    await settle();
    expect(seen.end).toBe("lost");
  });

  test("does not mind a wall clock that is set back", async () => {
    const { world, clock, elector } = await setUpLeader();
    clock.jumpWall(-3_600_000);
    await world.advance(20_000);
    expect(elector.fence).not.toThrow();
  });
});

describe("release", () => {
  test("frees the lease, after the fence has closed", async () => {
    const { world, elector, leases, seen } = await setUpLeader();
    await world.advance(5000);
    const releasing = elector.release(never);
    expect(elector.fence).toThrow(LeadershipLost);
    expect(await releasing).toBe(true);
    expect(seen.end).toBe("stopped");
    expect(leases.lease?.spec).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1, leaseTransitions: 5 });
    expect(world.timers).toBe(0);
  });

  test("comes after a stop as well", async () => {
    const { elector, leases, stop } = await setUpLeader();
    stop.abort(new Error("SIGTERM"));
    await settle();
    expect(await elector.release(never)).toBe(true);
    expect(leases.lease?.spec?.holderIdentity).toBe("");
  });

  test("is not undone by a renewal that was given up and arrives in the middle of it", async () => {
    let updates = 0;
    let late: (() => unknown) | undefined;
    const { world, elector, leases } = await setUpLeader({
      network: async ({ verb, arrive }) => {
        if (verb === "update" && ++updates === 2) {
          late = arrive;
          return new Promise(() => {});
        }
        const answer = arrive();
        late?.();
        late = undefined;
        return answer;
      },
    });
    await world.advance(2500);
    expect(late).toBeDefined();
    expect(await elector.release(never)).toBe(true);
    expect(leases.calls.slice(-4)).toEqual(["get", "update me", "get", "update "]);
    expect(leases.lease?.spec?.holderIdentity).toBe("");
  });

  test("leaves another's lease alone", async () => {
    const { elector, leases } = await setUpLeader();
    leases.edit({ holderIdentity: "other" });
    expect(await elector.release(never)).toBe(false);
    expect(leases.lease?.spec?.holderIdentity).toBe("other");
  });

  test("writes nothing once leadership was lost", async () => {
    let down = false;
    const { world, elector, leases } = await setUpLeader({
      network: async ({ arrive }) => {
        if (down) throw refusal(503);
        return arrive();
      },
    });
    down = true;
    await world.advance(10_000);
    down = false;
    expect(await elector.release(never)).toBe(false);
    expect(leases.lease?.spec?.holderIdentity).toBe("me");
  });

  test("gives up with its signal, and does not throw", async () => {
    let down = false;
    const { elector } = await setUpLeader({
      network: ({ arrive }) => (down ? new Promise(() => {}) : Promise.resolve(arrive())),
    });
    down = true;
    const deadline = new AbortController();
    const releasing = elector.release(deadline.signal);
    await settle();
    deadline.abort(new Error("20 s are over"));
    expect(await releasing).toBe(false);
  });

  test("has nothing to do for one that never led", async () => {
    const { elector, leases, run } = setUp();
    leases.put(heldByOther);
    run();
    await settle();
    expect(await elector.release(never)).toBe(false);
  });
});

test("a leader that should have exited long ago fails its liveness check; a standby never does", async () => {
  const standby = setUp();
  expect(standby.elector.leaseFresh()).toBeUndefined();

  let down = false;
  const { world, elector } = await setUpLeader({
    network: async ({ arrive }) => {
      if (down) throw refusal(503);
      return arrive();
    },
  });
  await world.advance(120_000);
  expect(elector.leaseFresh()).toBeUndefined();
  down = true;
  await world.advance(35_000);
  expect(elector.leaseFresh()).toBeUndefined();
  await world.advance(1000);
  expect(elector.leaseFresh()).toBe("the lease ctf/berg was not renewed for 36 s");
});

test("an error in what the leader starts ends the election and reaches the caller", async () => {
  const { elector, leases } = setUp();
  leases.put(released);
  await expect(
    elector.run(() => {
      throw new Error("no controllers");
    }, never),
  ).rejects.toThrow("no controllers");
  expect(elector.fence).toThrow(LeadershipLost);
});

describe("timing", () => {
  const cases = [
    {
      timing: { leaseSeconds: 10, renewDeadlineSeconds: 10, retrySeconds: 2 },
      want: "leaseSeconds (10) must be greater",
    },
    { timing: { leaseSeconds: 15, renewDeadlineSeconds: 2.4, retrySeconds: 2 }, want: "1.2 × retrySeconds (2)" },
    { timing: { leaseSeconds: 1.5, renewDeadlineSeconds: 1, retrySeconds: 0.2 }, want: "must be a whole number" },
    { timing: { leaseSeconds: 3, renewDeadlineSeconds: 2, retrySeconds: 0 }, want: "retrySeconds (0) must be" },
    { timing: { leaseSeconds: 3, renewDeadlineSeconds: Number.NaN, retrySeconds: 1 }, want: "must be greater" },
  ];
  for (const { timing, want } of cases) {
    test(`is refused: ${want}`, () => {
      const client = new FakeLeases().client();
      const clock = new FakeClock();
      const make = () =>
        new Elector({
          client,
          namespace: "n",
          name: "l",
          identity: "i",
          clock,
          random: () => 0,
          log: silentLogger,
          timing,
        });
      expect(make).toThrow(want);
    });
  }
});

function recordingLogger(lines: string[], { withFields = false } = {}): Logger {
  const at = (level: string) => (fields: object, message: string) =>
    void lines.push(`${level} ${message}${withFields ? ` ${JSON.stringify(fields)}` : ""}`);
  const logger: Logger = {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: () => logger,
  };
  return logger;
}
