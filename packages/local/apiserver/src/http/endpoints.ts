/** What answers requests that are not simply about what is stored: subresources, and kinds that keep nothing. */
import type { Status } from "@berg/apimachinery";
import type { AnyObject } from "../registry/resource.ts";
import type { Body, Caller, PatchBody, Place, WriteOptions, Written } from "../registry/verbs.ts";

export interface Endpoint {
  get?(place: Place, caller: Caller): Promise<AnyObject>;
  /** `place.name` is `""` for a kind. */
  create?(place: Place, body: Body, options: WriteOptions, caller: Caller): Promise<AnyObject | Status>;
  update?(place: Place, body: Body, options: WriteOptions, caller: Caller): Promise<Written>;
  patch?(place: Place, patch: PatchBody, options: WriteOptions, caller: Caller): Promise<Written>;
}

/** By name: `pods/eviction`, `subjectaccessreviews.authorization.k8s.io`; a scale of any kind is a `scale`. */
export type Endpoints = Readonly<Record<string, Endpoint>>;
