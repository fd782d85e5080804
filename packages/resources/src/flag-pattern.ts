/** Flags that are patterns. RE2 matches in time linear in the text, so no author can make a submission slow by accident. */
import { RE2JS, RE2JSSyntaxException } from "re2js";
import type { AdditionalFlag } from "./challenge.ts";

/** Says why without quoting the pattern: it is as secret as a flag. */
export class FlagPatternError extends Error {
  override name = "FlagPatternError";
}

/**
 * Whether a submitted flag matches, as a whole. Throws a FlagPatternError for what is no pattern.
 *
 *     compileFlagPattern({ content: "flag\\{[0-9]+\\}", caseInsensitive: false })("flag{42}")
 */
export function compileFlagPattern({
  content,
  caseInsensitive,
}: Pick<AdditionalFlag, "content" | "caseInsensitive">): (submitted: string) => boolean {
  try {
    const pattern = RE2JS.compile(content, caseInsensitive ? RE2JS.CASE_INSENSITIVE : 0);
    return (submitted) => pattern.matches(submitted);
  } catch (error) {
    throw new FlagPatternError(
      error instanceof RE2JSSyntaxException ? error.getDescription() : "it cannot be compiled",
    );
  }
}
