export { missingControlPlane } from "./control-plane/binaries.ts";
export * from "./control-plane/control-plane.ts";
export {
  type Behaviour,
  type BehaviourChoice,
  type BehaviourKind,
  behaviourAnnotation,
  parseBehaviour,
} from "./simulator/behaviour.ts";
export * from "./simulator/simulator.ts";
