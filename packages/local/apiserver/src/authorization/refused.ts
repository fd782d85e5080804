/** What a user is told who may not do something. */
import type { StatusError } from "@berg/apimachinery";
import type { User } from "../authentication/user.ts";
import { goQuote } from "../errors/go-text.ts";
import { forbidden, refusal } from "../errors/refusals.ts";
import type { RequestInfo } from "../requests/request-info.ts";

export function refused({ name }: User, info: RequestInfo, reason: string): StatusError {
  const because = reason === "" ? "" : `: ${reason}`;
  const who = `User ${goQuote(name)} cannot ${info.verb}`;
  if (!info.isResource) {
    const why = withoutTags(`${who} path ${goQuote(info.path)}`);
    return refusal(403, "Forbidden", `forbidden: ${why}${because}`, {});
  }
  const { group, resource, subresource, namespace } = info;
  const what = goQuote(subresource === "" ? resource : `${resource}/${subresource}`);
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${goQuote(namespace)}`;
  const why = withoutTags(`${who} resource ${what} in API group ${goQuote(group)} ${where}`);
  return forbidden({ group, resource, name: info.name || undefined }, `${why}${because}`);
}

/** Names are whatever a client says; in a browser they must not become HTML. */
function withoutTags(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
