/** A volume that is put together from several objects: no two may claim the same file. */
import { type FieldError, forbidden, invalid, required } from "../../../../errors/field-error.ts";
import type { KeyToPath, Projection } from "../../types.ts";
import { downwardFiles, keyToPath, pathInVolume } from "./volumes.ts";

const shortestToken = 10 * 60;
const longestToken = 2 ** 32;

export function projectedSources(path: string, sources: readonly Projection[]): FieldError[] {
  const taken = new Set<string>();
  /** `shown` is what the refusal names: for files of an object, that object. */
  const claim = (file: string, shown: string): FieldError[] => {
    if (file === "") return [];
    if (taken.has(file)) return [invalid(path, shown, "conflicting duplicate paths")];
    taken.add(file);
    return [];
  };
  return sources.flatMap((source, index) => {
    const at = `${path}.sources[${index}]`;
    const { secret, configMap, downwardAPI, serviceAccountToken } = source;
    const errors: FieldError[] = [];
    if (secret) errors.push(...keys(`${at}.secret`, secret, claim));
    if (configMap) errors.push(...keys(`${at}.configMap`, configMap, claim));
    for (const file of downwardAPI?.items ?? [])
      errors.push(...downwardFiles(`${at}.downwardAPI`, [file]), ...claim(file.path, file.path));
    if (serviceAccountToken) errors.push(...token(path, `${at}.serviceAccountToken`, serviceAccountToken));
    if (Object.keys(source).length > 1)
      errors.push(forbidden(at, "may not specify more than 1 volume type per source"));
    return errors;
  });
}

function keys(
  path: string,
  { name = "", items = [] }: { name?: string; items?: KeyToPath[] },
  claim: (file: string, shown: string) => FieldError[],
): FieldError[] {
  return [
    ...(name === "" ? [required(`${path}.name`)] : []),
    ...items.flatMap((item, index) => [...keyToPath(`${path}.items[${index}]`, item), ...claim(item.path, name)]),
  ];
}

// Kubernetes names the path of the token as if it were the volume's own.
function token(
  volumePath: string,
  path: string,
  { path: file, expirationSeconds = 0 }: { path: string; expirationSeconds?: number },
): FieldError[] {
  const errors: FieldError[] = [];
  const at = `${path}.expirationSeconds`;
  if (expirationSeconds < shortestToken)
    errors.push(invalid(at, expirationSeconds, "may not specify a duration less than 10 minutes"));
  if (expirationSeconds > longestToken)
    errors.push(invalid(at, expirationSeconds, "may not specify a duration larger than 2^32 seconds"));
  return [...errors, ...(file === "" ? [required(`${volumePath}.path`)] : pathInVolume(`${volumePath}.path`, file))];
}
