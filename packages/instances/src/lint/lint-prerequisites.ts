/** Checks of Challenges that depend on each other: those of all files together. */
import { readChallenge } from "@berg/resources";
import { error, type Problem, warning } from "./problem.ts";

/**
 * The problems of each manifest, in the order given. One that breaks the schema has none here: `lintChallenge` reports
 * it. A Challenge that is missing may be on the cluster, so that is a warning; a cycle can never be played.
 */
export function lintPrerequisites(manifests: readonly unknown[]): Problem[][] {
  const challenges = manifests.map((manifest) => readChallenge(manifest).object);
  const prerequisitesOf = new Map(
    challenges.flatMap((challenge) => (challenge ? [[challenge.metadata.name, challenge.spec.prerequisites]] : [])),
  );
  return challenges.map((challenge) => {
    const { name = "" } = challenge?.metadata ?? {};
    return (challenge?.spec.prerequisites ?? []).flatMap((prerequisite, index) => {
      const path = ["spec", "prerequisites", index];
      if (!prerequisitesOf.has(prerequisite) && prerequisite !== name) {
        const message = `there is no Challenge "${prerequisite}" in these files`;
        return [warning(path, message, "correct the name, or check the files together")];
      }
      const way = wayBetween(prerequisite, name, prerequisitesOf);
      if (!way) return [];
      const message = `nobody can play this: it needs itself (${[name, ...way].join(" → ")})`;
      return [error(path, message, "remove one of these prerequisites")];
    });
  });
}

/** The names from one Challenge to another along prerequisites; undefined where none lead there. */
function wayBetween(from: string, to: string, prerequisitesOf: ReadonlyMap<string, string[]>): string[] | undefined {
  const ways = [[from]];
  const visited = new Set([from]);
  for (const way of ways) {
    const last = way.at(-1) as string;
    if (last === to) return way;
    for (const next of prerequisitesOf.get(last) ?? []) {
      if (visited.has(next)) continue;
      visited.add(next);
      ways.push([...way, next]);
    }
  }
  return undefined;
}
