/** What the query of a list or a watch says. Which of it goes together is for the verbs to judge. */
import { escapeFieldValue, parseFieldSelector } from "@berg/apimachinery";
import { forbidden } from "../errors/field-error.ts";
import { invalid } from "../errors/refusals.ts";
import type { ListOptions, WatchOptions } from "../registry/verbs.ts";
import { readFlag, readInteger, readOptionalFlag, readText } from "./address.ts";
import { readSelectors } from "./selectors.ts";

const options = { group: "meta.k8s.io", kind: "ListOptions", name: "" };

export function readListOptions(query: URLSearchParams): ListOptions {
  const limit = readInteger(query, "limit");
  readInteger(query, "timeoutSeconds");
  const from = readText(query, "continue");
  const selectors = readSelectors(query);
  if (query.has("sendInitialEvents"))
    throw invalid(options, [forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list")]);
  return {
    ...selectors,
    ...versionOf(query),
    ...(limit !== undefined && { limit }),
    ...(from !== undefined && { continue: from }),
  };
}

/** `name`: of the one object that a watch of the old form is about. */
export function readWatchOptions(query: URLSearchParams, name = ""): WatchOptions {
  const timeoutSeconds = readInteger(query, "timeoutSeconds");
  const sendInitialEvents = readOptionalFlag(query, "sendInitialEvents");
  readInteger(query, "limit");
  const selectors = readSelectors(query);
  if (query.get("continue"))
    throw invalid(options, [
      forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided"),
    ]);
  return {
    ...selectors,
    ...(name !== "" && { fieldSelector: parseFieldSelector(`metadata.name=${escapeFieldValue(name)}`) }),
    ...(versionOf(query) as Pick<WatchOptions, "resourceVersion" | "resourceVersionMatch">),
    allowBookmarks: readFlag(query, "allowWatchBookmarks"),
    ...(sendInitialEvents !== undefined && { sendInitialEvents }),
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
  };
}

/** Taken as they are: the verbs refuse a match that is none. */
function versionOf(query: URLSearchParams): Pick<ListOptions, "resourceVersion" | "resourceVersionMatch"> {
  const resourceVersion = readText(query, "resourceVersion");
  const match = readText(query, "resourceVersionMatch") as ListOptions["resourceVersionMatch"];
  return {
    ...(resourceVersion !== undefined && { resourceVersion }),
    ...(match !== undefined && { resourceVersionMatch: match }),
  };
}
