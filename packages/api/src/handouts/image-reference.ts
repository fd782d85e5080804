/** `registry.example/team/handout:1`, as container tools read it. */
export interface ImageReference {
  /** With a port if one was given. */
  registry: string;
  repository: string;
  /** What the manifest is asked for by. The digest wins over the tag. */
  reference: string;
  digest: string | undefined;
}

const repositoryPattern = /^[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*)*$/;
const registryPattern = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/i;
const tagPattern = /^\w[\w.-]{0,127}$/;
export const digestPattern = /^sha256:[0-9a-f]{64}$/;
const dockerHub = "docker.io";

/** Undefined where it is not valid. */
export function parseImageReference(text: string): ImageReference | undefined {
  const [named = "", digest, ...rest] = text.split("@");
  if (rest.length > 0 || (digest !== undefined && !digestPattern.test(digest))) return undefined;
  const [first = "", ...others] = named.split("/");
  const hasRegistry = others.length > 0 && (/[.:]/.test(first) || first === "localhost");
  const registry = hasRegistry ? first : dockerHub;
  const path = hasRegistry ? others.join("/") : named;
  const [name = "", tag = "latest", ...more] = path.split(":");
  const repository = registry === dockerHub && !name.includes("/") ? `library/${name}` : name;
  if (more.length > 0 || !tagPattern.test(tag) || !registryPattern.test(registry)) return undefined;
  if (!repositoryPattern.test(repository)) return undefined;
  return { registry: registry.toLowerCase(), repository, reference: digest ?? tag, digest };
}
