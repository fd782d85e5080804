import { addInstanceController, readSettings } from "@berg/instances";
import { readInto, readProcessSettings, refuse } from "./process-settings.ts";
import { runComponent } from "./run-component.ts";

/** Runs until it is told to stop. What is wrong in the environment ends it at once, with code 2 and a line for each. */
export async function runController({ kubeconfig }: { kubeconfig?: string }): Promise<void> {
  const mistakes: string[] = [];
  const settings = readInto(mistakes, () => readSettings(process.env));
  const own = readInto(mistakes, () => readProcessSettings(process.env));
  if (!settings || !own) return refuse(mistakes);
  await runComponent(
    { name: "controller", kubeconfig, isElected: true, ...own },
    ({ manager, namespace, metrics, log, clock }) =>
      addInstanceController(manager, { settings, namespace, metrics, log, serverClock: clock }),
  );
}
