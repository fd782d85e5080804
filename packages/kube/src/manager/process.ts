import { ConfigurationError } from "../config/configuration-error.ts";
import { errorText, type Logger, stackOf } from "../log.ts";

/**
 * Runs a process until SIGTERM or SIGINT, and then stops it in order. A second signal ends it at once, and so does an
 * uncaught error, after which no state can be trusted. It exits with 0 when all is stopped, also if the signal came while
 * it started; with 2 if its configuration is wrong; and with 1 otherwise.
 *
 *     await runProcess(log, (stop) => manager.run(stop));
 */
export async function runProcess(log: Logger, main: (stop: AbortSignal) => Promise<void>): Promise<never> {
  const stop = new AbortController();
  for (const name of ["SIGTERM", "SIGINT"] as const) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(1);
      log.info({ signal: name }, "stopping");
      stop.abort(new Error(`told to stop by ${name}`));
    });
  }
  for (const name of ["uncaughtException", "unhandledRejection"] as const) {
    process.on(name, (error: unknown) => {
      // Not what it says: an error that nobody expected may quote what was being read.
      log.error({ error: nameOf(error), stack: stackOf(error) }, "broken: exiting");
      process.exit(1);
    });
  }
  try {
    await main(stop.signal);
    process.exit(0);
  } catch (error) {
    if (stop.signal.aborted && isCausedBy(error, stop.signal.reason)) process.exit(0);
    log.error({ error: errorText(error) }, "exiting");
    process.exit(error instanceof ConfigurationError ? 2 : 1);
  }
}

function isCausedBy(error: unknown, reason: unknown): boolean {
  if (error === reason) return true;
  return error instanceof Error && error.cause !== undefined && isCausedBy(error.cause, reason);
}

/** `TypeError`, `Error ECONNRESET`, or for what is no error its type. */
function nameOf(error: unknown): string {
  if (!(error instanceof Error)) return `a ${typeof error} was thrown`;
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? `${error.name} ${code}` : error.name;
}
