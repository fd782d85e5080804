/** What the containers of a pod ask for together, at the moment at which they need most. */
import { parseQuantity, type Quantity } from "@berg/apimachinery";
import type { Container, PodSpec } from "../types.ts";

type Sums = Map<string, Quantity>;

/** Init containers run one after the other, before the rest; those that always restart stay, and run beside all later ones. */
export function containerRequests(spec: PodSpec): Sums {
  const running: Sums = new Map();
  const starting: Sums = new Map();
  for (const container of spec.initContainers ?? []) {
    const stays = container.restartPolicy === "Always";
    const now = new Map(running);
    addRequests(now, container);
    if (stays) addRequests(running, container);
    raise(starting, now);
  }
  for (const container of spec.containers ?? []) addRequests(running, container);
  raise(running, starting);
  return running;
}

function addRequests(sums: Sums, { resources }: Container): void {
  for (const [name, text] of Object.entries(resources?.requests ?? {})) {
    const more = parseQuantity(text);
    sums.set(name, sums.get(name)?.add(more) ?? more);
  }
}

function raise(sums: Sums, to: Sums): void {
  for (const [name, other] of to) {
    const own = sums.get(name);
    if (!own || own.compare(other) < 0) sums.set(name, other);
  }
}
