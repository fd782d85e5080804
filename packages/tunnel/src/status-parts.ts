/** What the statuses of both our kinds have in common. Pure. */
import type { KubeObject } from "@berg/apimachinery";

/** The spec that a status answers. */
export function observed({ metadata }: KubeObject): { observedGeneration?: number } {
  const { generation } = metadata;
  return generation === undefined ? {} : { observedGeneration: generation };
}

/** A status with a text that is too long is refused as a whole. */
export function cut(text: string, most: number): string {
  // By code points, so that none is cut in two; the limit counts them too.
  const points = [...text];
  return points.length > most ? `${points.slice(0, most - 1).join("")}…` : text;
}
