/** What a user is told who may not do something. */
import type { StatusError } from "@berg/apimachinery";
import type { User } from "../authentication/user.ts";
import { forbidden, refusal } from "../errors/refusals.ts";
import type { RequestInfo } from "../requests/request-info.ts";

export function refused({ name }: User, info: RequestInfo, reason: string): StatusError {
  const because = reason === "" ? "" : `: ${reason}`;
  if (!info.isResource) {
    return refusal(403, "Forbidden", `forbidden: User "${name}" cannot ${info.verb} path "${info.path}"${because}`, {});
  }
  const { group, resource, subresource, namespace, verb } = info;
  const what = subresource === "" ? resource : `${resource}/${subresource}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace "${namespace}"`;
  const why = `User "${name}" cannot ${verb} resource "${what}" in API group "${group}" ${where}${because}`;
  return forbidden({ group, resource, name: info.name || undefined }, why);
}
