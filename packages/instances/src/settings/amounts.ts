import { parseQuantity, type Quantity, quoted } from "@berg/apimachinery";

/** Nothing where it is not a quantity. */
export function readAmount(amount: string | number): Quantity | undefined {
  try {
    return parseQuantity(amount);
  } catch {
    return undefined;
  }
}

const leastBandwidth = parseQuantity("1k");
const mostBandwidth = parseQuantity("1P");

/** What is wrong with the bits per second that a container may send or receive, and the fix. */
export function bandwidthProblem(text: string): string | undefined {
  const amount = readAmount(text);
  if (amount === undefined) return `${quoted(text)} is not an amount of bits per second; write one such as 10M`;
  // Container runtimes start no pod outside of these two.
  if (amount.compare(leastBandwidth) < 0)
    return `${quoted(text)} is less than 1k bits per second; write more, such as 10M`;
  if (amount.compare(mostBandwidth) > 0)
    return `${quoted(text)} is more than 1P bits per second; write less, such as 1G`;
  return undefined;
}
