/** Those of the names that somebody may have meant, the likeliest first: by the pairs of letters that they share. */
export function nearNames(meant: string, names: readonly string[], most = 5): string[] {
  return names
    .map((name) => ({ name, likeness: likeness(meant, name) }))
    .filter(({ likeness }) => likeness >= 0.3)
    .toSorted((one, other) => other.likeness - one.likeness || (one.name < other.name ? -1 : 1))
    .slice(0, most)
    .map(({ name }) => name);
}

/** From 0, nothing in common, to 1. */
function likeness(one: string, other: string): number {
  const [a, b] = [pairs(one), pairs(other)];
  const shared = [...a].filter((pair) => b.has(pair)).length;
  return (2 * shared) / (a.size + b.size);
}

/** With what stands before and after it, so that a single letter has pairs too, and the first counts twice. */
function pairs(name: string): Set<string> {
  const letters = [..."^", ...name.toLowerCase(), "$"];
  return new Set(letters.slice(1).map((letter, at) => `${letters[at]}${letter}`));
}
