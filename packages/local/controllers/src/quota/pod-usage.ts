/** What a pod uses of a quota. Pure. */
import { parseQuantity, parseTime, Quantity, type Stored } from "@berg/apimachinery";
import type { Pod } from "@berg/kube";

export type Usage = Map<string, Quantity>;

type Container = NonNullable<Pod["spec"]>["containers"][number];
type Amounts = Record<string, string> | undefined;

export const one = parseQuantity("1");
const none = new Quantity(0n, "DecimalSI");
const native = ["cpu", "memory", "ephemeral-storage"];

/** `count/pods` is for what is stored; all else for what runs, or will. */
export function podUsage(pod: Stored<Pod>, now: number): Usage {
  const usage: Usage = new Map([["count/pods", one]]);
  if (isOver(pod, now)) return usage;
  usage.set("pods", one);
  for (const [name, amount] of podTotals(pod, "requests")) {
    if (native.includes(name) || name.startsWith("hugepages-")) usage.set(name, amount);
    if (native.includes(name) || isExtended(name)) usage.set(`requests.${name}`, amount);
  }
  for (const [name, amount] of podTotals(pod, "limits")) {
    if (native.includes(name)) usage.set(`limits.${name}`, amount);
  }
  return usage;
}

/** Ended, or not ended in time: a node that is lost must not hold what its pods had. */
function isOver({ metadata, status }: Stored<Pod>, now: number): boolean {
  if (status?.phase === "Succeeded" || status?.phase === "Failed") return true;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (!deletionTimestamp || deletionGracePeriodSeconds === undefined) return false;
  return now > parseTime(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

const isExtended = (name: string) =>
  name.startsWith("hugepages-") || (name.includes("/") && !name.includes("kubernetes.io/"));

/**
 * Containers run side by side and add up; init containers run one after the other, beside those before them that stay
 * (sidecars). What the pod needs is the most that it needs at any moment, and its overhead.
 */
export function podTotals({ spec }: Pod, part: "requests" | "limits"): Usage {
  let running = sum((spec?.containers ?? []).map((container) => amountsOf(container, part)));
  let sidecars: Usage = new Map();
  let starting: Usage = new Map();
  for (const container of spec?.initContainers ?? []) {
    const amounts = amountsOf(container, part);
    if (container.restartPolicy === "Always") {
      running = sum([running, amounts]);
      sidecars = sum([sidecars, amounts]);
      starting = most(starting, sidecars);
    } else {
      starting = most(starting, sum([amounts, sidecars]));
    }
  }
  const total = most(running, starting);
  const whole = (spec as { resources?: Container["resources"] } | undefined)?.resources;
  for (const [name, amount] of read(whole?.[part] as Amounts)) total.set(name, amount);
  const overhead = read(spec?.overhead as Amounts);
  if (part === "requests") return sum([total, overhead]);
  // Without a limit there is none, whatever is laid on top of it.
  return new Map([...total].map(([name, amount]) => [name, amount.add(overhead.get(name) ?? none)]));
}

function amountsOf({ resources }: Container, part: "requests" | "limits"): Usage {
  return read(resources?.[part] as Amounts);
}

function read(amounts: Amounts): Usage {
  return new Map(Object.entries(amounts ?? {}).map(([name, text]) => [name, parseQuantity(text)]));
}

export function sum(usages: readonly Usage[]): Usage {
  const total: Usage = new Map();
  for (const [name, amount] of usages.flatMap((usage) => [...usage])) {
    total.set(name, (total.get(name) ?? none).add(amount));
  }
  return total;
}

function most(a: Usage, b: Usage): Usage {
  const larger: Usage = new Map(a);
  for (const [name, amount] of b) {
    const other = larger.get(name);
    if (!other || other.compare(amount) < 0) larger.set(name, amount);
  }
  return larger;
}
