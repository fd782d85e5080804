/** `berg janitor`: one sweep with a table of what it did, or one that stays and tells in its log. */
import {
  addJanitor,
  type JanitorSettings,
  readInterval,
  readJanitorSettings,
  renderTable,
  sweepOnce,
} from "@berg/healing";
import {
  ConfigurationError,
  createClient,
  errorText,
  loadConnection,
  ServerClock,
  systemClock,
  unlimited,
} from "@berg/kube";
import type { JanitorCommandOptions } from "./janitor.ts";
import { readInto, readProcessSettings, refuse } from "./process-settings.ts";
import { runComponent } from "./run-component.ts";

export async function runJanitor(options: JanitorCommandOptions): Promise<void> {
  const mistakes: string[] = [];
  const settings = readInto(mistakes, () => readJanitorSettings(process.env));
  const own = readInto(mistakes, () => readProcessSettings(process.env));
  const intervalMs = readInto(mistakes, () => readInterval(options.interval));
  const isOnce = Boolean(options.once || options.dryRun);
  if (options.force && !isOnce) mistakes.push("--force needs --once: somebody has to look at what it removes");
  if (!settings || !own || intervalMs === undefined || mistakes.length > 0) return refuse(mistakes);
  if (isOnce) return sweep(options, settings);
  // Without a lease: each deletion names one life of one object, so that two janitors do no harm.
  const component = { name: "janitor", kubeconfig: options.kubeconfig, isElected: false, ...own } as const;
  await runComponent(component, ({ manager, metrics, clock }) =>
    addJanitor(manager, { settings, intervalMs, metrics, clock }),
  );
}

async function sweep(options: JanitorCommandOptions, settings: JanitorSettings): Promise<void> {
  const { kubeconfig, dryRun = false, force = false } = options;
  const stop = new AbortController();
  for (const name of ["SIGTERM", "SIGINT"] as const) process.once(name, () => stop.abort(new Error(`told by ${name}`)));
  const { signal } = stop;
  try {
    const found = { ...(kubeconfig !== undefined && { kubeconfig }), clock: systemClock, signal };
    const connection = await loadConnection(found);
    const clock = new ServerClock(systemClock);
    const client = createClient({ connection, component: "janitor", rate: unlimited, serverClock: clock });
    await using parts = new AsyncDisposableStack();
    parts.defer(() => client.close());
    const { actions, problems } = await sweepOnce({ client, settings, clock, signal, dryRun, force });
    if (actions.length > 0) process.stdout.write(renderTable(actions));
    else if (problems.length === 0) process.stdout.write(nothing);
    process.stderr.write(problems.map((problem) => `error: ${problem}\n`).join(""));
    if (problems.length > 0) process.exitCode = 1;
  } catch (error) {
    process.stderr.write(`error: ${errorText(error)}\n`);
    process.exitCode = error instanceof ConfigurationError ? 2 : 1;
  }
}

const nothing = "Nothing to do: no instance is past its time, and every namespace of ours has its instance.\n";
