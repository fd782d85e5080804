import { median } from "../figure.ts";

/**
 * Lets all contenders run in turn, round after round, so that a busy moment of the machine meets all of them; the
 * median of each number counts.
 */
export async function rounds<Name extends string, Key extends string>(
  count: number,
  contenders: Record<Name, () => Promise<Record<Key, number>>>,
): Promise<Record<Name, Record<Key, number>>> {
  const results = new Map<Name, Record<Key, number>[]>();
  for (let round = 0; round < count; round++) {
    for (const name of Object.keys(contenders) as Name[]) {
      results.set(name, [...(results.get(name) ?? []), await contenders[name]()]);
    }
  }
  return Object.fromEntries([...results].map(([name, all]) => [name, medians(all)])) as Record<
    Name,
    Record<Key, number>
  >;
}

function medians<Key extends string>(all: Record<Key, number>[]): Record<Key, number> {
  const keys = Object.keys(all[0] ?? {}) as Key[];
  return Object.fromEntries(keys.map((key) => [key, median(all.map((one) => one[key]))])) as Record<Key, number>;
}
