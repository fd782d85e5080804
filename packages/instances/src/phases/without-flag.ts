/** A text without the flag, whoever wrote it and in whatever form it quotes what it was given. */

const hidden = "[flag]";

/** Shorter ones occur by chance: to take them out would tear words apart, and tell what was taken out. */
const shortest = 8;

export function canBeHidden(flag: string): boolean {
  return flag.length >= shortest;
}

/** `forms` are those of the flag, see below. */
export function withoutForms(text: string, forms: readonly string[]): string {
  return forms.reduce((safe, form) => safe.replaceAll(form, hidden), text);
}

/** For a text that may quote any of them. Where one could not be told from other words, nothing of the text is kept. */
export function withoutFlags(text: string, flags: readonly unknown[]): string {
  const known = flags.filter((flag) => typeof flag === "string" && flag !== "") as string[];
  if (known.some((flag) => !canBeHidden(flag) && text.includes(flag))) return "(withheld: it may quote the flag)";
  return known.filter(canBeHidden).reduce((safe, flag) => withoutForms(safe, formsOf(flag)), text);
}

/** As it may stand in a text, in JSON, in an environment variable of ours, in a URL, a dump or a Secret; longest first. */
export function formsOf(flag: string): string[] {
  // Kubernetes reads `$$` in a variable as one.
  const plain = [flag, flag.replaceAll("$", "$$$$")];
  const escaped = plain.map((text) => JSON.stringify(text).slice(1, -1));
  const escapedByGo = escaped.map((text) => text.replace(/[<>&]/g, asUnicode));
  const twice = [...escaped, ...escapedByGo].map((text) => JSON.stringify(text).slice(1, -1));
  const encoded = plain.flatMap((text) => {
    const bytes = Buffer.from(text, "utf8");
    const base64 = [0, 1, 2].map((offset) => base64Core(bytes, offset));
    return [encodeURIComponent(text), bytes.toString("hex"), bytes.toString("base64"), ...base64];
  });
  const forms = new Set([...plain, ...escaped, ...escapedByGo, ...twice, ...encoded]);
  return [...forms].sort((a, b) => b.length - a.length);
}

function asUnicode(character: string): string {
  return `\\u00${character.charCodeAt(0).toString(16)}`;
}

/** What base64 makes of the bytes within something longer, but for the ends, which depend on what is around. */
function base64Core(bytes: Buffer, offset: number): string {
  const whole = Buffer.concat([Buffer.alloc(offset), bytes]);
  const text = whole.subarray(0, whole.length - (whole.length % 3)).toString("base64");
  return text.slice(offset === 0 ? 0 : 4);
}
