/** What is sent to a subresource is put to the admissions as it is sent, though nothing of it is stored. */
import { apiVersionOf } from "@berg/apimachinery";
import type { AdmissionRequest } from "../../admission/admission.ts";
import { check, momentOf, type Registry } from "../registry.ts";
import { sentWriteOptions } from "../sent-options.ts";
import type { Caller, Place, WriteOptions } from "../verbs.ts";

export function checkSent(
  registry: Registry,
  place: Place,
  subresource: string,
  sent: object,
  options: WriteOptions,
  caller: Caller,
): void {
  const { isDryRun } = options;
  ask(registry, place, subresource, sent, caller, {
    verb: "create",
    isDryRun,
    options: sentWriteOptions("CreateOptions", options),
  });
}

/** The same for a stream: `sent` is what its query says. */
export function checkConnect(
  registry: Registry,
  place: Place,
  subresource: string,
  sent: object,
  caller: Caller,
): void {
  ask(registry, place, subresource, sent, caller, { verb: "connect", isDryRun: false, options: null });
}

function ask(
  registry: Registry,
  { resource, namespace, name }: Place,
  subresource: string,
  sent: object,
  caller: Caller,
  how: Pick<AdmissionRequest, "verb" | "isDryRun" | "options">,
): void {
  const kind = resource.subresources[subresource] ?? resource;
  const claimed = (sent as { apiVersion?: string }).apiVersion;
  const draft = { ...sent, apiVersion: claimed || apiVersionOf(kind), kind: kind.kind };
  check(registry, {
    ...how,
    resource,
    subresource,
    namespace,
    name,
    user: caller.user,
    draft: draft as unknown as NonNullable<AdmissionRequest["draft"]>,
    old: undefined,
    moment: momentOf(registry),
    warn: (text) => caller.warn(text),
  });
}
