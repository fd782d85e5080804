import fc from "fast-check";
import { expect, test } from "vitest";
import { silentLogger } from "../log.ts";
import { FakeClock, settle } from "../testing/fake-clock.ts";
import { FakeLeases, type Network } from "../testing/fake-leases.ts";
import { ProcessClock } from "../testing/process-clock.ts";
import { refusal } from "../testing/refusal.ts";
import { Elector } from "./elector.ts";

/**
 * Several replicas on one Lease, in a world where requests and answers are late, lost or refused, processes are stopped,
 * machines suspended, clocks wrong, and people edit the Lease. Each replica that is done is started anew, as the kubelet
 * would do.
 */
class Replica {
  readonly clock: ProcessClock;
  readonly #world: FakeClock;
  readonly #leases: FakeLeases;
  readonly #chance: () => number;
  readonly #onStarted: () => void;
  readonly #name: string;
  #restarts = 0;
  #ended = false;
  #stop = new AbortController();
  elector!: Elector;
  /** Of requests, answers and refusals; and the longest delay of either way. */
  faults = { share: 0, delayMs: 0 };

  constructor(
    name: string,
    world: FakeClock,
    leases: FakeLeases,
    clock: { rate: number; wallOffset: number },
    chance: () => number,
    onStarted: () => void,
  ) {
    this.#name = name;
    this.#world = world;
    this.#leases = leases;
    this.#chance = chance;
    this.#onStarted = onStarted;
    this.clock = new ProcessClock(world, clock);
    this.#start();
  }

  /** Whether it could write at this moment. */
  get writes(): boolean {
    return !this.clock.isFrozen && this.elector.isLeader;
  }

  #start(): void {
    this.#stop = new AbortController();
    this.elector = new Elector({
      client: this.#leases.client(this.#network),
      namespace: "ctf",
      name: "berg",
      identity: `${this.#name}-${++this.#restarts}`,
      clock: this.clock,
      random: this.#chance,
      log: silentLogger,
    });
    const { elector } = this;
    void elector.run(this.#onStarted, this.#stop.signal).then((end) => {
      if (end === "lost") this.clock.setTimer(1000, () => this.#startAfter(elector));
    });
  }

  #startAfter(elector: Elector): void {
    if (elector === this.elector && !this.#ended) this.#start();
  }

  /** A graceful restart. */
  async release(): Promise<void> {
    const { elector } = this;
    this.#stop.abort();
    const deadline = new AbortController();
    const timer = this.clock.setTimer(3000, () => deadline.abort(new Error("too slow")));
    await elector.release(deadline.signal);
    timer.cancel();
    this.#startAfter(elector);
  }

  end(): void {
    this.#ended = true;
    this.#stop.abort();
  }

  readonly #network: Network = ({ arrive }) =>
    new Promise((resolve, reject) => {
      const fate = this.#chance();
      const { share, delayMs } = this.faults;
      const answer = (settleCall: () => void) =>
        this.#world.setTimer(this.#chance() * delayMs, () => this.clock.whenAwake(settleCall));
      if (fate < share / 3) return; // the request is lost
      if (fate < (2 * share) / 3) {
        answer(() => reject(refusal(503)));
        return;
      }
      this.#world.setTimer(this.#chance() * delayMs, () => {
        let outcome: () => void;
        try {
          const value = arrive();
          outcome = () => resolve(value);
        } catch (error) {
          outcome = () => reject(error);
        }
        if (fate < share) return; // the answer is lost
        answer(outcome);
      });
    });
}

const replicas = 3;
const who = fc.nat({ max: replicas - 1 });
const action = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("freeze" as const),
      who,
      ms: fc.integer({ min: 100, max: 30_000 }),
      suspended: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("faults" as const),
      who,
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      delayMs: fc.integer({ min: 0, max: 12_000 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("release" as const), who }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("jumpWall" as const), who, ms: fc.integer({ min: -60_000, max: 60_000 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("delete" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("edit" as const),
      spec: fc.constantFrom(
        { holderIdentity: "" },
        { holderIdentity: "mallory" },
        { holderIdentity: "r0-1" },
        { holderIdentity: "r1-1" },
        { leaseDurationSeconds: 2 },
        { renewTime: "1990-01-01T00:00:00.000000Z" },
        { renewTime: "2090-01-01T00:00:00.000000Z" },
      ),
    }),
  },
);

const scenario = fc.record({
  seed: fc.integer(),
  // Leader a sixth slow and follower a sixth fast still fit into 15 s against 10 s.
  clocks: fc.array(
    fc.record({
      rate: fc.double({ min: 0.86, max: 1.16, noNaN: true }),
      wallOffset: fc.integer({ min: -600_000, max: 600_000 }),
    }),
    { minLength: replicas, maxLength: replicas },
  ),
  // Both in a row, a wall clock set back and a machine suspended, would show on neither clock: no process can tell.
  suspensions: fc.boolean(),
  steps: fc.array(fc.record({ afterMs: fc.integer({ min: 0, max: 9000 }), action }), { minLength: 5, maxLength: 25 }),
});

test("there are never two that write, and in the end there is one", { timeout: 120_000 }, async () => {
  let terms = 0;
  await fc.assert(
    fc.asyncProperty(scenario, async ({ seed, clocks, suspensions, steps }) => {
      const world = new FakeClock();
      const leases = new FakeLeases();
      const chance = seeded(seed);
      const all: Replica[] = [];
      const overlaps: string[] = [];
      const check = () => {
        const writing = all.filter((replica) => replica.writes).map((replica) => replica.elector);
        if (writing.length > 1) overlaps.push(`at ${world.monotonic()} ms: ${leases.lease?.spec?.holderIdentity}`);
      };
      const started = () => {
        terms++;
        check();
      };
      clocks.forEach((clock, i) => {
        all.push(new Replica(`r${i}`, world, leases, clock, chance, started));
      });
      const tick = () => {
        check();
        ticking = world.setTimer(500, tick);
      };
      let ticking = world.setTimer(500, tick);

      await world.advance(20_000);
      for (const { afterMs, action } of steps) {
        await world.advance(afterMs);
        const replica = all["who" in action ? action.who : 0] as Replica;
        if (action.do === "freeze" && !replica.clock.isFrozen) {
          replica.clock.freeze(action.suspended && suspensions ? "suspended" : "stopped");
          world.setTimer(action.ms, () => replica.clock.thaw(check));
        }
        if (action.do === "faults") replica.faults = { share: action.share, delayMs: action.delayMs };
        if (action.do === "release" && !replica.clock.isFrozen) void replica.release();
        if (action.do === "jumpWall") replica.clock.jumpWall(suspensions ? Math.abs(action.ms) : action.ms);
        if (action.do === "delete") leases.delete();
        if (action.do === "edit") leases.edit(action.spec);
        check();
      }

      for (const replica of all) replica.faults = { share: 0, delayMs: 20 };
      await world.advance(90_000);
      expect(overlaps).toEqual([]);
      const leaders = all.filter((replica) => replica.writes);
      expect(leaders).toHaveLength(1);
      expect(leases.lease?.spec?.holderIdentity).toMatch(/^r\d-\d+$/);

      ticking.cancel();
      for (const replica of all) replica.end();
      await settle();
    }),
    { numRuns: 150 },
  );
  expect(terms).toBeGreaterThan(40);
});

/** mulberry32: chance that can be repeated. */
function seeded(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
