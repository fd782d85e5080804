/**
 * What makes one table of rules into another, in the order in which the kernel takes it, as statements of a line each.
 * To add a little costs the kernel next to nothing; to take away costs it a wait for all packets on their way, and a new
 * table many of those.
 */
import type { Rules } from "./rules.ts";
import { addElements } from "./script.ts";

export function changesOf(before: Rules, after: Rules, table: string): string[] {
  const added = [...after.chains].filter(([name]) => !before.chains.has(name));
  const gone = [...before.chains.keys()].filter((name) => !after.chains.has(name));
  const lists = Object.entries(after.elements).map(([name, now]) => {
    const old: ReadonlyMap<string, string> = before.elements[name as keyof Rules["elements"]];
    return {
      name,
      removed: [...old].filter(([key, verdict]) => now.get(key) !== verdict).map(([key]) => key),
      added: [...now].filter(([key, verdict]) => old.get(key) !== verdict),
    };
  });
  return [
    ...added.flatMap(([name, lines]) => [
      `add chain inet ${table} ${name}`,
      ...lines.map((line) => `add rule inet ${table} ${name} ${line}`),
    ]),
    ...lists.flatMap(({ name, removed }) =>
      removed.length === 0 ? [] : [`delete element inet ${table} ${name} { ${removed.join(", ")} }`],
    ),
    ...lists.flatMap(({ name, added }) => addElements(table, name, added)),
    ...gone.flatMap((name) => [`flush chain inet ${table} ${name}`, `delete chain inet ${table} ${name}`]),
  ];
}
