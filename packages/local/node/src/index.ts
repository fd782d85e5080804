/**
 * Nodes for a control plane on one machine: one whose pods are containers of Docker or Podman, and a simulated one, whose
 * pods run nothing.
 *
 * Folders in the order in which data flows: images, volumes, networks → containers (pure: what to make) → probes →
 * pods (pure: what to do; then doing it) → node → serving (logs and commands). Beside them: simulated.
 */
export { type ImageOptions, imageArchive, type Layer, type LayerFile } from "./images/archive.ts";
export { fullName, parseReference } from "./images/reference.ts";
export type { Networks, NetworksOptions } from "./networks/interface.ts";
export { startNetworks } from "./networks/networks.ts";
export { type ContainerNode, type ContainerNodeOptions, startContainerNode } from "./node/container-node.ts";
export { NodeServing, type PodLogOptions } from "./serving/serving.ts";
export type { BehaviourChoice } from "./simulated/behaviour.ts";
export { simulatedLabel } from "./simulated/node-objects.ts";
export { type Simulator, type SimulatorOptions, startSimulator } from "./simulated/simulator.ts";
