/**
 * Image names as Kubernetes reads them: `nginx` is `docker.io/library/nginx:latest`. What is wrong with one is said in
 * the words of the kubelet.
 */

export interface Reference {
  /** With its registry: `docker.io/library/nginx`. */
  readonly repository: string;
  /** `latest` where neither a tag nor a digest was given. */
  readonly tag: string | undefined;
  /** `sha256:…` */
  readonly digest: string | undefined;
}

const component = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*";
const hostPart = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const registry = `(?:${hostPart}(?:\\.${hostPart})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`;
const tag = "[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}";
const digest = "[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}";
const whole = new RegExp(`^((?:${registry}/)?(${component}(?:/${component})*))(?::(${tag}))?(?:@(${digest}))?$`);
const longestPath = 255;
const longest = 4096;
const digestSizes: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 };

/** `{ reason }` where it is no image name. */
export function parseReference(text: string): Reference | { readonly reason: string } {
  const wrong = (why: string) => ({ reason: `couldn't parse image name ${JSON.stringify(text)}: ${why}` });
  if (/^[a-f0-9]{64}$/.test(text)) {
    return wrong(`invalid repository name (${text}), cannot specify 64-byte hexadecimal strings`);
  }
  // Nothing so long can be one; the patterns below would take their time to see that.
  if (text.length > longest) return wrong("invalid reference format");
  const [domain, rest] = splitRegistry(text);
  const name = rest.split(":")[0] ?? "";
  if (name.toLowerCase() !== name) {
    return wrong(`invalid reference format: repository name (${name}) must be lowercase`);
  }
  const [matched, repository, path, tagged, digested] = whole.exec(`${domain}/${rest}`) ?? [];
  if (matched === undefined || repository === undefined) {
    const isUpper = whole.test(`${domain}/${rest}`.toLowerCase());
    return wrong(isUpper ? "repository name must be lowercase" : "invalid reference format");
  }
  if ((path?.length ?? 0) > longestPath) {
    return wrong(`repository name must not be more than ${longestPath} characters`);
  }
  const [algorithm = "", hex = ""] = digested?.split(":") ?? [];
  if (digested !== undefined) {
    if (!(algorithm in digestSizes)) return wrong("unsupported digest algorithm");
    if (hex.length !== digestSizes[algorithm]) return wrong("invalid checksum digest length");
    if (!/^[0-9a-f]+$/.test(hex)) return wrong("invalid checksum digest format");
  }
  return { repository, tag: tagged ?? (digested === undefined ? "latest" : undefined), digest: digested };
}

/** What an engine is asked for. A digest says all; a tag beside it says nothing. */
export function fullName({ repository, tag: tagged, digest: digested }: Reference): string {
  return digested === undefined ? `${repository}:${tagged ?? "latest"}` : `${repository}@${digested}`;
}

/** What the first part of a name is: a registry has a dot, a port or a capital in it, or is `localhost`. */
function splitRegistry(text: string): [domain: string, rest: string] {
  const slash = text.indexOf("/");
  const first = text.slice(0, Math.max(slash, 0));
  const isHub = first === "docker.io" || first === "index.docker.io";
  const isRegistry = slash >= 0 && (first === "localhost" || /[.:]/.test(first) || first.toLowerCase() !== first);
  if (isRegistry && !isHub) return [first, text.slice(slash + 1)];
  const rest = isHub ? text.slice(slash + 1) : text;
  return ["docker.io", rest.includes("/") ? rest : `library/${rest}`];
}
