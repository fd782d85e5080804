/** Media types with their parameters: `application/json;as=Table;v=v1;g=meta.k8s.io`. */
export interface MediaType {
  /** `application/json`, in lower case. */
  type: string;
  parameters: Readonly<Record<string, string>>;
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const typeForm = new RegExp(`\\s*(${token}(?:/${token})?)\\s*`, "y");
const parameterForm = new RegExp(`;\\s*(?:(${token})\\s*=\\s*(?:(${token})|"((?:[^"\\\\]|\\\\.)*)")\\s*)?`, "y");

/** Undefined where it is not one. Reads on from match to match, so that a long header takes no longer than it is long. */
export function parseMediaType(text: string): MediaType | undefined {
  typeForm.lastIndex = 0;
  const type = typeForm.exec(text)?.[1];
  if (type === undefined) return undefined;
  const parameters: Record<string, string> = {};
  let at = typeForm.lastIndex;
  while (at < text.length) {
    parameterForm.lastIndex = at;
    const found = parameterForm.exec(text);
    if (!found) return undefined;
    at = parameterForm.lastIndex;
    const [, key, plain, quoted = ""] = found;
    if (key !== undefined) parameters[key.toLowerCase()] = plain ?? quoted.replace(/\\(.)/g, "$1");
    // An empty one at the end is nothing to stumble over.
    else if (at < text.length) return undefined;
  }
  return { type: type.toLowerCase(), parameters };
}

/** What a client takes, the dearest first; what is equally dear stays in its order, but names before wildcards. */
export function parseAccept(text: string): MediaType[] {
  return text
    .split(",")
    .flatMap((part) => parseMediaType(part) ?? [])
    .map((media) => ({ media, quality: qualityOf(media), wildcards: wildcardsIn(media) }))
    .sort((a, b) => b.quality - a.quality || a.wildcards - b.wildcards)
    .map(({ media }) => media);
}

function qualityOf({ parameters }: MediaType): number {
  const quality = Number(parameters.q ?? 1);
  return Number.isFinite(quality) ? quality : 1;
}

function wildcardsIn({ type }: MediaType): number {
  return type.split("*").length - 1;
}
