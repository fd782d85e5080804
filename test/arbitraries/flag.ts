import fc from "fast-check";

/** Flags that have broken something somewhere: shells, kubelet's `$(X)`, printf, YAML, regular expressions, terminals. */
export const nastyFlags: readonly string[] = [
  "flag{plain}",
  "x",
  `flag{"quoted" 'twice' \`thrice\`}`,
  "flag{$(HOME) $(FLAG) $$ $$(HOME) $$$ $}",
  "flag{%n%s%x%%}",
  "flag{line\nfeed}\n",
  "\r\n\tflag{blanks around}  ",
  "flag{\\n \\0 \\x41 \\\\}",
  "--- !!binary &a *a | > # : - [] {} ,",
  "^(.*)+$[a-z]?\\b",
  "flag{../../{entropy}/{entropy}}",
  "flag{<script>alert(1)</script>&amp;}",
  "flag{\u0001\u001b[31m\u007f\u0085\u2028}",
  "flag{é ñ 漢字 🚩 👩‍👩‍👧 e\u0301 \u202eltr\ufeff}",
  "true",
  "0777",
  "🚩".repeat(1024),
  "a".repeat(1024),
];

/** Any flag that a ChallengeInstance may have: up to 1024 characters, without NUL. */
export function flagArbitrary(): fc.Arbitrary<string> {
  const anything = fc
    .string({ unit: "binary", minLength: 1, maxLength: 1024 })
    .map((text) => text.replaceAll("\0", "0"));
  return fc.oneof(fc.constantFrom(...nastyFlags), anything);
}
