/** How an admission says no. */
import type { StatusError } from "@berg/apimachinery";
import { forbidden } from "../errors/refusals.ts";
import type { AdmissionRequest } from "./admission.ts";

/** Of several reasons all are told. */
export function refuse({ resource, name, draft }: AdmissionRequest, ...why: string[]): StatusError {
  // Where the server is still to make a name, the one that is made from stands for it.
  const shown = name || draft?.metadata.name || draft?.metadata.generateName || "Unknown";
  const text = why.length === 1 ? (why[0] as string) : `[${[...new Set(why)].join(", ")}]`;
  return forbidden({ group: resource.group, resource: resource.resource, name: shown }, text);
}
