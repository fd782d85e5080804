/** Credentials of a registry in a Secret of the type `kubernetes.io/dockerconfigjson`. */
import type { Secret } from "@berg/kube";
import { HandoutError } from "./handout-error.ts";
import type { Credentials } from "./registry.ts";

interface DockerConfig {
  auths?: Record<string, { auth?: string; username?: string; password?: string }>;
}

/** Undefined where the Secret has none for this registry. Errors never quote the Secret. */
export function credentialsFor({ data, metadata }: Secret, registry: string): Credentials | undefined {
  const encoded = data?.[".dockerconfigjson"];
  if (encoded === undefined) {
    throw new HandoutError(`the Secret ${metadata.name} has no key .dockerconfigjson`);
  }
  const { auths = {} } = parseConfig(encoded, metadata.name);
  const entry = Object.entries(auths).find(([key]) => hostOf(key) === registry)?.[1];
  if (!entry) return undefined;
  const { username, password, auth } = entry;
  if (username !== undefined && password !== undefined) return { username, password };
  const [user = "", ...rest] = Buffer.from(auth ?? "", "base64")
    .toString()
    .split(":");
  return user === "" ? undefined : { username: user, password: rest.join(":") };
}

function parseConfig(encoded: string, name: string): DockerConfig {
  try {
    return JSON.parse(Buffer.from(encoded, "base64").toString()) as DockerConfig;
  } catch {
    throw new HandoutError(`the key .dockerconfigjson of the Secret ${name} is not JSON`);
  }
}

/** Keys are hosts, or URLs as Docker writes them: `https://index.docker.io/v1/`. */
function hostOf(key: string): string {
  const host = key.replace(/^https?:\/\//, "").split("/", 1)[0] ?? "";
  return host === "index.docker.io" ? "docker.io" : host.toLowerCase();
}
