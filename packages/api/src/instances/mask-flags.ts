/** Removes known flags from text that the API shows. */
const masked = "[flag]";

/** Also where a flag is written as base64, hexadecimal digits or percent-encoded, as programs log it. Pure. */
export function maskFlags(text: string, flags: readonly string[]): string {
  return flags.flatMap(writings).reduce((result, writing) => result.replaceAll(writing, masked), text);
}

function writings(flag: string): string[] {
  const bytes = Buffer.from(flag);
  const hex = bytes.toString("hex");
  return [flag, bytes.toString("base64").replace(/=+$/, ""), hex, hex.toUpperCase(), encodeURIComponent(flag)];
}
