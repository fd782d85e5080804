/**
 * One request of a script. What only a server knows stands in braces and is filled in for each server when the step is
 * played, in the path as in the body:
 *
 *     {ns}                   the namespace of this play                 {n}         the place of the step in its script
 *     {rv configmaps/a}      the newest resourceVersion seen of it      {oldrv …}   the one seen before that
 *     {uid configmaps/a}     its uid                                    {listrv}    of the newest list
 *     {continue}             where the newest list that is not whole goes on
 *
 * A version that has not been seen is the first of all, that of the namespace; a uid is one that nobody has.
 */
export interface Step {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: unknown;
  /** The media type of the body; JSON unless told otherwise. */
  readonly type?: string;
  readonly accept?: string;
  /** The body is a merge patch upon this object as it was last seen: what a client does that reads, changes and writes. */
  readonly from?: string;
}

export const types = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;
