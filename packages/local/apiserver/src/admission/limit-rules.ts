/** Which of a LimitRange's rules a container, or a pod as a whole, breaks. */
import { parseQuantity, type Quantity } from "@berg/apimachinery";
import type { LimitItem } from "./limit-ranges.ts";
import type { Amounts } from "./pods.ts";

interface Asked {
  request: Quantity | undefined;
  limit: Quantity | undefined;
}

export function brokenLimits(item: LimitItem, requests: Amounts = {}, limits: Amounts = {}): string[] {
  const askedFor = (name: string): Asked => ({
    request: quantityOf(requests[name]),
    limit: quantityOf(limits[name]),
  });
  const rules = [
    [item.min, belowLeast],
    [item.max, aboveMost],
    [item.maxLimitRequestRatio, aboveRatio],
  ] as const;
  return rules.flatMap(([enforced, broken]) =>
    Object.keys(enforced ?? {})
      .sort()
      .map((name) => broken(name, item.type, parseQuantity(enforced?.[name] ?? 0), askedFor(name)))
      .filter((problem) => problem !== undefined),
  );
}

function belowLeast(name: string, type: string, least: Quantity, { request, limit }: Asked): string | undefined {
  const rule = `minimum ${name} usage per ${type} is ${least}`;
  if (!request) return `${rule}.  No request is specified`;
  if (request.compare(least) < 0) return `${rule}, but request is ${request}`;
  if (limit && limit.compare(least) < 0) return `${rule}, but limit is ${limit}`;
  return undefined;
}

function aboveMost(name: string, type: string, most: Quantity, { request, limit }: Asked): string | undefined {
  const rule = `maximum ${name} usage per ${type} is ${most}`;
  if (!limit) return `${rule}.  No limit is specified`;
  if (limit.compare(most) > 0) return `${rule}, but limit is ${limit}`;
  if (request && request.compare(most) > 0) return `${rule}, but request is ${request}`;
  return undefined;
}

function aboveRatio(name: string, type: string, most: Quantity, { request, limit }: Asked): string | undefined {
  const rule = `${name} max limit to request ratio per ${type} is ${most}`;
  if (!request || request.nanos === 0n) return `${rule}, but no request is specified or request is 0`;
  if (!limit || limit.nanos === 0n) return `${rule}, but no limit is specified or limit is 0`;
  const ratio = Number(limit.milliValue()) / Number(request.milliValue());
  if (ratio * 1000 <= Number(most.milliValue())) return undefined;
  return `${rule}, but provided ratio is ${ratio.toFixed(6)}`;
}

function quantityOf(amount: string | number | undefined): Quantity | undefined {
  return amount === undefined ? undefined : parseQuantity(amount);
}
