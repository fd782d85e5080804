import { parseCapabilities, readSettings } from "@berg/instances";
import { ConfigurationError, errorText } from "@berg/kube";

/** What containers may add: what the settings allow, and what `--allow-capabilities` names. */
export function allowedCapabilities(
  option: string | undefined,
  bySettings: readonly string[] = readSettings({}).capabilities,
): string[] {
  try {
    return [...bySettings, ...(option === undefined ? [] : parseCapabilities(option))];
  } catch (error) {
    throw new ConfigurationError(`cannot use --allow-capabilities: ${errorText(error)}`);
  }
}
