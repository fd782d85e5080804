import { flagBytes } from "./flag-bytes.ts";

/** An environment variable as a container of a Pod has it. */
export interface EnvVar {
  name: string;
  value: string;
}

/** `flagEnv("FLAG", "flag{$(HOME)}")` is `{ name: "FLAG", value: "flag{$$(HOME)}" }`. */
export function flagEnv(name: string, flag: string): EnvVar {
  flagBytes(flag);
  return { name, value: literalEnvValue(flag) };
}

/** A value that reaches the container as it is: the kubelet reads `$(X)` as a reference, and `$$` as one `$`. */
export function literalEnvValue(text: string): string {
  return text.replaceAll("$", "$$$$");
}
