/** Which options of a list and of a watch go together. */
import { type FieldError, forbidden, notSupported } from "../errors/field-error.ts";
import { invalid } from "../errors/refusals.ts";
import type { ListOptions, WatchOptions } from "./verbs.ts";

const match = "resourceVersionMatch";
const exact = "Exact";
const notOlderThan = "NotOlderThan";

export function checkListOptions(options: ListOptions): void {
  const { resourceVersionMatch: wanted, resourceVersion } = options;
  if (!wanted) return;
  const errors: FieldError[] = [];
  if (!resourceVersion) errors.push(forbidden(match, `${match} is forbidden unless resourceVersion is provided`));
  if (options.continue) errors.push(forbidden(match, `${match} is forbidden when continue is provided`));
  if (![exact, notOlderThan].includes(wanted)) errors.push(notSupported(match, wanted, [exact, notOlderThan, ""]));
  if (wanted === exact && resourceVersion === "0")
    errors.push(forbidden(match, `${match} "exact" is forbidden for resourceVersion "0"`));
  refuse(errors);
}

export function checkWatchOptions({ resourceVersionMatch: wanted, sendInitialEvents }: WatchOptions): void {
  const errors: FieldError[] = [];
  if (sendInitialEvents !== undefined && wanted !== notOlderThan)
    errors.push(forbidden(match, `sendInitialEvents requires setting ${match} to ${notOlderThan}`));
  if (wanted) {
    if (sendInitialEvents === undefined)
      errors.push(forbidden(match, `${match} is forbidden for watch unless sendInitialEvents is provided`));
    if (wanted !== notOlderThan) errors.push(notSupported(match, wanted, [notOlderThan]));
  }
  refuse(errors);
}

function refuse(errors: FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "ListOptions", name: "" }, errors);
}
