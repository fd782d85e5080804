/** The deployment listener under test. */
import { addListener, ClusterRecords, type RuntimeRecords, readListenerSettings } from "@berg/healing";
import { type Connection, OwnWrites, systemClock } from "@berg/kube";
import { ChallengeInstances } from "@berg/resources";
import { type RunningPart, runInProcess, type Sight } from "./in-process.ts";

export interface ListenerOptions extends Sight {
  /** Environment variables, as an organiser sets them: `{ STUCK_POLICY: "terminate" }`. */
  env?: Record<string, string>;
  /** They outlive it. In the cluster unless told. */
  records?: RuntimeRecords;
}

export interface RunningListener extends RunningPart {
  readonly records: RuntimeRecords;
}

export async function startListenerInProcess(
  target: Connection,
  { env = {}, records, ...options }: ListenerOptions,
): Promise<RunningListener> {
  const { clock = systemClock, only } = options;
  // Who is shown some of the instances takes the namespaces of all others for ghosts.
  const settings = readListenerSettings({ ...(only !== undefined && { GHOST_GRACE: "1000h" }), ...env });
  let kept = records as RuntimeRecords;
  const part = await runInProcess("listener", target, options, (manager, metrics) => {
    const { client } = manager;
    kept ??= new ClusterRecords({ client, instances: new OwnWrites(manager.informer(ChallengeInstances), clock) });
    addListener(manager, { settings, records: kept, metrics, clock });
  });
  return { ...part, records: kept };
}
