/**
 * The leases of `berg up`. It takes those of the separate commands (`berg controller`, `berg listener`, `berg tunnel`), so
 * that one of these, started beside it on the same cluster, waits in place of doing the same work twice.
 */
import { isAlreadyExists } from "@berg/apimachinery";
import { type Client, LeadershipLost, Leases, type Logger } from "@berg/kube";

const electedComponents = ["controller", "listener", "tunnel", "api"] as const;
export type ElectedComponent = (typeof electedComponents)[number];

/**
 * The leases are in the store of the data directory, which only one process at a time can open: an earlier holder with this
 * name is dead, and `berg up` takes its leases at once.
 */
export const upIdentity = "berg-up";

export interface Running extends AsyncDisposable {
  /** Rejects where it ends by itself, other than by the loss of its lease. */
  readonly failed: Promise<never>;
}

/** Creates the leases that do not exist yet, without a holder: a candidate takes such a lease at once. */
export async function createLeases(client: Client, namespace: string, signal: AbortSignal): Promise<void> {
  await Promise.all(
    electedComponents.map(async (component) => {
      try {
        await client.create(Leases, { metadata: { namespace, name: `berg-${component}` } }, { signal });
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
    }),
  );
}

/**
 * Runs a component until it is disposed of. `term` runs for the lease, works, and rejects with LeadershipLost when it has
 * lost it (a suspended laptop): then it is called again, since nothing would restart this process.
 */
export function runElected(
  component: ElectedComponent,
  term: (stop: AbortSignal) => Promise<void>,
  log: Logger,
): Running {
  const stopping = new AbortController();
  const stop = stopping.signal;
  const run = (async () => {
    while (!stop.aborted) {
      try {
        await term(stop);
        return;
      } catch (error) {
        if (!(error instanceof LeadershipLost)) throw error;
        log.warn({ lease: `berg-${component}` }, "the lease was lost; running for it again");
      }
    }
  })();
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => {});
  run.catch(failure.reject);
  return {
    failed: failure.promise,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await run.catch(() => {});
    },
  };
}
