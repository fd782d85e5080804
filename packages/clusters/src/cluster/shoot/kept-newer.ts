/** Where a Cluster asks for something older than what runs: Gardener never goes back, and updates by itself. Pure. */
import type { ClusterSpec } from "@berg/resources";
import type { ShootSpec } from "../../gardener/kinds.ts";
import { texts } from "../vocabulary.ts";
import { workerName } from "./render.ts";
import { isNewer } from "./versions.ts";

/** `["core.kubernetesVersion is 1.32, and it runs 1.33.4"]`; none where all is as it is asked for. */
export function keptNewer({ kubernetes, provider }: ShootSpec, { core, infrastructure }: ClusterSpec): string[] {
  const image = provider.workers?.find(({ name }) => name === workerName)?.machine.image;
  const wanted = infrastructure?.machineImage;
  return [
    ...told("core.kubernetesVersion", core?.kubernetesVersion, kubernetes?.version),
    ...(image?.name === wanted?.name
      ? told("infrastructure.machineImage.version", wanted?.version, image?.version)
      : []),
  ];
}

function told(field: string, asked: string | undefined, live: string | undefined): string[] {
  if (asked === undefined || live === undefined || !isNewer(live, asked)) return [];
  return [texts.runsNewer(field, asked, live)];
}
