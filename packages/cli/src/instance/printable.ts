/**
 * Words of others as they may stand on a terminal. A message may quote what a registry or a container said, and an
 * escape sequence in it could rewrite what is on the screen.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const control = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g;

export function printable(text: string): string {
  return text.replace(control, " ");
}
