/** Nodes for a control plane on one machine: so far the simulated one, whose pods run nothing. */
export type { BehaviourChoice } from "./simulated/behaviour.ts";
export { type Simulator, type SimulatorOptions, startSimulator } from "./simulated/simulator.ts";
