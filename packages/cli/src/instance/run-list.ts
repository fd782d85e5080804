/** `berg instance list`: what there is; with --watch, also what becomes of it. */
import { ChallengeInstances } from "@berg/resources";
import { type Paint, paintFor } from "./paint.ts";
import { Table } from "./render-list.ts";
import { type ClusterOptions, inSession } from "./session.ts";
import type { ExitCode, Surroundings } from "./surroundings.ts";
import { watchInstances } from "./watch-instances.ts";

export interface ListOptions extends ClusterOptions {
  allNamespaces?: boolean;
  output?: "wide";
  json?: boolean;
  watch?: boolean;
}

export function runList(options: ListOptions, around: Surroundings): Promise<ExitCode> {
  const { stdout, stderr, clock, env } = around;
  return inSession(options, around, async (session) => {
    const { signal } = session.around;
    const selection = options.allNamespaces ? {} : { namespace: session.namespace };
    // Also before a watch: that would go on trying where it is refused.
    const { items } = await session.client.listAll(ChallengeInstances, { ...selection, signal });
    const instances = await Promise.all(items.map((item) => session.view(item)));
    const table = tableFor(options, paintFor(stdout, env));
    if (options.watch) {
      table.fit(instances, clock.now());
      let hasHeading = false;
      await watchInstances(session, selection, (change, instance) => {
        if (options.json) return void stdout.write(`${JSON.stringify({ change, instance })}\n`);
        const shown = change === "deleted" ? { ...instance, phase: "Terminated" as const } : instance;
        stdout.write(hasHeading ? table.renderLine(shown, clock.now()) : table.render([shown], clock.now()));
        hasHeading = true;
      }).catch((error) => {
        // Ctrl-C is how a watch ends.
        if (!around.signal.aborted) throw error;
      });
      return 0;
    }
    if (options.json) stdout.write(`${JSON.stringify({ instances }, undefined, 2)}\n`);
    else if (instances.length > 0) stdout.write(table.render(instances, clock.now()));
    else
      stderr.write(`There are no instances${options.allNamespaces ? "" : ` in the namespace ${session.namespace}`}.\n`);
    return 0;
  });
}

function tableFor({ allNamespaces = false, output }: ListOptions, paint: Paint): Table {
  return new Table({ allNamespaces, wide: output === "wide", paint });
}
