/** Claims in every order that several processes may make them in. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { makeAccount } from "../testing/accounts.ts";
import { FakePool, standing } from "../testing/fake-pool.ts";
import { type Account, isFree, tenantOf } from "./account.ts";
import { type Obtained, obtain } from "./obtain.ts";

const wanted = (tenant: string) => ({ provider: "aws", hyperscalerType: "aws", euAccess: false, tenant });
const now = Date.parse("2026-01-01T00:00:00Z");

/** As a request does that is looked at again and again: until it has one, or there is none. */
async function until(pool: FakePool, tenant: string, process: string, request: string): Promise<Obtained> {
  for (let tries = 0; tries < 40; tries++) {
    const claimer = { tenant, request, process, limit: undefined, now: now + tries * 1_000 };
    const usersOf = () => 0;
    const signal = AbortSignal.abort();
    const obtained = await obtain({ accounts: pool, wanted: wanted(tenant), usersOf, claimer }, signal);
    if (obtained !== "busy") return obtained;
  }
  throw new Error("never settled");
}

const nameOf = (obtained: Obtained) => (typeof obtained === "string" ? obtained : obtained.metadata.name);

/** Each claim goes from nobody to somebody, and back only by taking back what is pending. */
function expectNeverTwoTenants(history: readonly Account[][]): void {
  for (const [at, accounts] of history.entries()) {
    for (const account of accounts) {
      const before = history[at - 1]?.find(({ metadata }) => metadata.name === account.metadata.name);
      const [old, now] = [before && tenantOf(before), tenantOf(account)];
      if (old !== undefined && now !== undefined) expect(now).toBe(old);
    }
  }
}

test("however the processes interleave, a tenant has one account", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.record({ tenant: fc.constantFrom("t1", "t2"), process: fc.constantFrom("p1", "p2", "p3") }), {
        minLength: 2,
        maxLength: 6,
      }),
      fc.boolean(),
      async (scheduler, size, claimers, cleans) => {
        const turn = async <T>(call: () => T) => {
          await scheduler.schedule(Promise.resolve());
          return call();
        };
        const names = Array.from({ length: size }, (_, at) => `a${at}`);
        // One that comes back into the pool meanwhile lets the later claimer have the lower name.
        const accounts = [
          ...(cleans ? [makeAccount("a", { labels: { tenantName: "gone", dirty: "true" } })] : []),
          ...names.map((name) => makeAccount(name)),
        ];
        const pool = new FakePool(accounts, turn);
        // In one process those of one tenant take turns.
        const lines = new Map<string, Promise<unknown>>();
        const all = claimers.map(({ tenant, process }, at) => {
          const line = `${tenant}/${process}`;
          const mine = Promise.resolve(lines.get(line)).then(() => until(pool, tenant, process, `r${at}`));
          lines.set(line, mine);
          return mine;
        });
        const cleaning = cleans ? pool.clean("a") : Promise.resolve();
        const obtained = await scheduler.waitFor(Promise.all([...all, cleaning]));

        for (const now of pool.history)
          for (const tenant of ["t1", "t2"]) expect(standing(now, tenant).length).toBeLessThanOrEqual(1);
        if (!cleans) expectNeverTwoTenants(pool.history);
        for (const [at, { tenant }] of claimers.entries()) {
          const own = standing(pool.all, tenant);
          const got = nameOf(obtained[at] as Obtained);
          if (got !== "none") expect([got]).toEqual(own);
        }
        expect(pool.all.filter((account) => tenantOf(account) === "t1").length).toBeLessThanOrEqual(1);
      },
    ),
    { numRuns: 400 },
  );
});

test("whoever else claims at the same time, no account ever has two tenants", async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.integer({ min: 1, max: 3 }), async (scheduler, size) => {
      const turn = async <T>(call: () => T) => {
        await scheduler.schedule(Promise.resolve());
        return call();
      };
      const pool = new FakePool(
        Array.from({ length: size }, (_, at) => makeAccount(`a${at}`)),
        turn,
      );
      const outside = async (tenant: string) => {
        for (;;) {
          const listed = await pool.list();
          const own = listed.find((account) => tenantOf(account) === tenant);
          const free = listed.find(isFree);
          if (own || !free) return;
          await pool.claimOutside(free, tenant).catch(() => {});
        }
      };
      const work = [until(pool, "t1", "p1", "r1"), until(pool, "t2", "p2", "r2"), outside("t3"), outside("t4")];
      await scheduler.waitFor(Promise.all(work));
      expectNeverTwoTenants(pool.history);
    }),
    { numRuns: 200 },
  );
});
