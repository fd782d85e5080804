/** Where handouts may come from. */
import { join } from "node:path";
import { ConfigurationError } from "@berg/kube";

export interface HandoutSettings {
  /** Relative download URLs name files below these. */
  readonly directories: readonly string[];
  /** Registries that may be asked, as `host` or `host:port`. */
  readonly registries: readonly string[];
  /** Of one file. */
  readonly maxBytes: number;
  /** Undefined: a temporary one. */
  readonly cacheDirectory: string | undefined;
  /** Of all cached files. */
  readonly cacheBytes: number;
}

const mebibyte = 1 << 20;

/** The environment variables, with their defaults. */
export const handoutVariables = [
  {
    name: "HANDOUT_REGISTRIES",
    default: "",
    description:
      "Registries from which handouts may be pulled, with commas between them, such as ghcr.io,registry.internal:5000. One at a private address needs its port. Empty: none.",
  },
  {
    name: "HANDOUT_MAX_BYTES",
    default: String(512 * mebibyte),
    description: "Largest handout that is pulled from a registry, in bytes. The cache holds four times as much.",
  },
] as const;

export function readHandoutSettings(
  env: Record<string, string | undefined>,
  { directories = [], dataDir }: { directories?: readonly string[]; dataDir?: string | undefined } = {},
): HandoutSettings {
  const mistakes: string[] = [];
  const [list, largest] = handoutVariables.map(({ name, default: byDefault }) => env[name]?.trim() || byDefault);
  const registries = (list ?? "")
    .split(",")
    .map((one) => one.trim().toLowerCase())
    .filter((one) => one !== "");
  for (const one of registries) {
    if (!/^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/.test(one)) {
      mistakes.push(
        `cannot read HANDOUT_REGISTRIES: "${one}" is not a host, such as ghcr.io or registry.internal:5000`,
      );
    }
  }
  const maxBytes = Number(largest);
  if (!/^\d{1,15}$/.test(largest ?? "") || maxBytes === 0) {
    mistakes.push(`cannot read HANDOUT_MAX_BYTES: "${largest}" is not a number of bytes`);
  }
  if (mistakes.length > 0) throw new ConfigurationError(mistakes.join("\n"));
  const cacheDirectory = dataDir === undefined ? undefined : join(dataDir, "handouts");
  return { directories, registries, maxBytes, cacheDirectory, cacheBytes: 4 * maxBytes };
}
