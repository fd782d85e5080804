/** I9: what others write on objects of ours survives us. */
import { type Invariant, nameOf, revisionOf, successions, type Violation } from "./record.ts";

/** Labels and annotations that begin with it are a stranger's: tests put them on, and never take them off. */
export const strangersMark = "stranger.example.com/";

export const othersFieldsSurvive: Invariant = ({ changes }) => {
  const violations: Violation[] = [];
  for (const [before, after] of successions(changes)) {
    for (const field of ["labels", "annotations"] as const) {
      const has = after.object.metadata[field] ?? {};
      for (const [name, value] of Object.entries(before.object.metadata[field] ?? {})) {
        if (!name.startsWith(strangersMark) || has[name] === value) continue;
        const text = `at revision ${revisionOf(after)} ${nameOf(after)} lost ${name} from its ${field}`;
        violations.push({ invariant: "I9 others' fields survive", text });
      }
    }
  }
  return violations;
};
