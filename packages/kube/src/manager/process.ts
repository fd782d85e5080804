import { errorText, type Logger } from "../log.ts";

/**
 * Runs a process to its end: until it is told to stop (SIGTERM, SIGINT), and then in order. A second signal ends it at
 * once, and so does an error that nobody caught, since after one of those nothing here can be trusted.
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
      log.error(
        { error: errorText(error), stack: error instanceof Error ? error.stack : undefined },
        "broken: exiting",
      );
      process.exit(1);
    });
  }
  try {
    await main(stop.signal);
    process.exit(0);
  } catch (error) {
    log.error({ error: errorText(error) }, "exiting");
    process.exit(1);
  }
}
