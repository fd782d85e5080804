/** What many kinds use: label selectors and conditions. */
import { always, atomicObject, int64, list, mapOf, object, text, time } from "../../shapes.ts";

const labelSelectorRequirement = object(
  {
    key: always(text()),
    operator: always(text()),
    values: list(text()),
  },
  ["key", "operator"],
);

export const labelSelector = atomicObject({
  matchExpressions: list(labelSelectorRequirement),
  matchLabels: mapOf(text()),
});

export const condition = object(
  {
    lastTransitionTime: always(time()),
    message: always(text()),
    observedGeneration: int64(),
    reason: always(text()),
    status: always(text()),
    type: always(text()),
  },
  ["type", "status", "lastTransitionTime", "reason", "message"],
);
