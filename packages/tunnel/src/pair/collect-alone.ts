import { setFlagsFromString } from "node:v8";

/**
 * The garbage of many short streams is collected by this thread alone. V8's helpers would have to find a processor first,
 * and while they wait on a machine with few of them, all streams do: the slowest in a hundred took a quarter longer.
 */
export function collectGarbageAlone(): void {
  setFlagsFromString("--no-parallel-scavenge");
}
