/** How the file with the flag gets into a container. The volume's name, the key in the object and the way are one word. */
import { components } from "@berg/resources";
import type { FlagPlan } from "../flags/flag-plan.ts";
import type { BuildSettings } from "../settings/settings.ts";

export type FlagFilePlan = Exclude<FlagPlan, { way: "env" }>;

/** What holds the file: its name, and its mark as well. */
export const flagObjectNames = { content: components.flagContent, executable: components.flagExecutable } as const;

// A subPath mounts the one file and leaves the rest of its directory as the image has it.
export function flagMount({ way, file }: FlagFilePlan) {
  return { name: way, mountPath: file.path, subPath: file.subPath, readOnly: true };
}

export function flagVolume({ way, file }: FlagFilePlan, storage: BuildSettings["flagStorage"]) {
  const name = flagObjectNames[way];
  const items = [{ key: way, path: file.subPath, mode: file.mode }];
  return storage === "Secret"
    ? { name: way, secret: { secretName: name, items } }
    : { name: way, configMap: { name, items } };
}
