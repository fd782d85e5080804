/** Sums of resources by name: what a pod asks for, and what it may use. */
import { parseQuantity, type Quantity } from "@berg/apimachinery";
import type { Amounts, Container, Pod } from "./pods.ts";

export type Quantities = Map<string, Quantity>;

export function quantitiesOf(amounts: Amounts | undefined): Quantities {
  return new Map(Object.entries(amounts ?? {}).map(([name, amount]) => [name, parseQuantity(amount)]));
}

export function add(into: Quantities, more: Quantities): void {
  for (const [name, amount] of more) into.set(name, into.get(name)?.add(amount) ?? amount);
}

function raise(into: Quantities, to: Quantities): void {
  for (const [name, amount] of to) {
    const before = into.get(name);
    if (!before || before.compare(amount) < 0) into.set(name, amount);
  }
}

/**
 * Of all containers together. Init containers run one after the other and before the others, so the largest counts; those
 * that keep running (sidecars) count beside the others. What is said for the pod as a whole takes the place of the sum.
 */
export function totalOf({ spec = {} }: Pod, what: "requests" | "limits"): Quantities {
  const amountsOf = (container: Container) => quantitiesOf(container.resources?.[what]);
  const total: Quantities = new Map();
  for (const container of spec.containers ?? []) add(total, amountsOf(container));
  const sidecars: Quantities = new Map();
  const largest: Quantities = new Map();
  for (const container of spec.initContainers ?? []) {
    const own = amountsOf(container);
    if (container.restartPolicy === "Always") {
      add(total, own);
      add(sidecars, own);
      raise(largest, sidecars);
    } else {
      add(own, sidecars);
      raise(largest, own);
    }
  }
  raise(total, largest);
  for (const [name, amount] of quantitiesOf(spec.resources?.[what])) total.set(name, amount);
  return total;
}

export function print(amounts: Quantities, names: readonly string[]): string {
  return names.map((name) => `${name}=${amounts.get(name) ?? "0"}`).join(",");
}
