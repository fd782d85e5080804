/** What a pod takes of its node, by its requests. */
import { parseQuantity } from "@berg/apimachinery";
import type { Node, Pod } from "@berg/kube";

/** By resource: CPU in thousandths, all others in their unit. */
export type Amounts = Readonly<Record<string, number>>;

type Quantities = Record<string, string> | undefined;
interface Container {
  resources?: { requests?: Quantities } | undefined;
  restartPolicy?: string;
}

const amountsOf = new WeakMap<object, Amounts>();

/** What is there for pods on this node. */
export function allocatableOf({ status }: Node): Amounts {
  return toAmounts(status?.allocatable as Quantities);
}

/**
 * Init containers run one after the other, so only the greediest counts; those that stay (sidecars) count beside all
 * that start after them.
 */
export function requestsOf({ spec }: Pod): Amounts {
  if (!spec) return {};
  const known = amountsOf.get(spec);
  if (known) return known;
  const {
    containers,
    initContainers = [],
    overhead,
    resources,
  } = spec as {
    containers: Container[];
    initContainers?: Container[];
    overhead?: Quantities;
    resources?: { requests?: Quantities };
  };
  let sidecars: Amounts = {};
  let starting: Amounts = {};
  for (const container of initContainers) {
    const requests = toAmounts(container.resources?.requests);
    if (container.restartPolicy === "Always") sidecars = merge(sidecars, requests, plus);
    starting = merge(
      starting,
      container.restartPolicy === "Always" ? sidecars : merge(sidecars, requests, plus),
      Math.max,
    );
  }
  const running = containers.reduce(
    (sum, container) => merge(sum, toAmounts(container.resources?.requests), plus),
    sidecars,
  );
  // What is asked for the pod as a whole counts in place of the containers' own.
  const most = { ...merge(running, starting, Math.max), ...toAmounts(resources?.requests) };
  const amounts = merge(most, toAmounts(overhead), plus);
  amountsOf.set(spec, amounts);
  return amounts;
}

export const plus = (a: number, b: number) => a + b;

export function merge(a: Amounts, b: Amounts, combine: (a: number, b: number) => number): Amounts {
  const merged: Record<string, number> = { ...a };
  for (const [name, amount] of Object.entries(b)) merged[name] = combine(merged[name] ?? 0, amount);
  return merged;
}

function toAmounts(quantities: Quantities): Amounts {
  return Object.fromEntries(Object.entries(quantities ?? {}).map(([name, text]) => [name, toAmount(name, text)]));
}

function toAmount(name: string, text: string): number {
  const quantity = parseQuantity(text);
  return Number(name === "cpu" ? quantity.milliValue() : quantity.value());
}
