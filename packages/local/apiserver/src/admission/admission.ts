/** Checks and changes between who may do it and what is stored. Synchronous, as everything between reading and writing. */
import type { User } from "../authentication/user.ts";
import type { AnyObject, AnyStoredObject, Moment, ServedResource } from "../registry/resource.ts";

export interface AdmissionRequest {
  /** `connect`: a stream to a pod, such as `exec`. */
  readonly verb: "create" | "update" | "delete" | "connect";
  readonly resource: ServedResource;
  readonly subresource: string;
  readonly namespace: string;
  /** `""` where the server is still to make one. */
  readonly name: string;
  readonly user: User;
  readonly isDryRun: boolean;
  /** Undefined for a delete. A plug-in that admits may change it. */
  readonly draft: AnyObject | undefined;
  /** Undefined for a create. */
  readonly old: AnyStoredObject | undefined;
  /** As the client sent them: `{ kind: "CreateOptions", … }`. There are none for a stream. */
  readonly options: Readonly<Record<string, unknown>> | null;
  readonly moment: Moment;
  /** Goes out as a Warning header. */
  warn(text: string): void;
}

/** One rule. Throws a refusal where something must not be. */
export interface Admission {
  readonly name: string;
  /** Before validation; may change the draft. */
  admit?(request: AdmissionRequest): void;
  /** After validation; changes nothing. */
  check?(request: AdmissionRequest): void;
  /** Of what is about to be stored for certain, so never in a dry run: writes what is to be stored together with it. */
  accompany?(request: AdmissionRequest): void;
}
