/** What the front of the server stands on. */

import type { X509Certificate } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Clock, Logger } from "@berg/kube";
import type { DistinctHeaders } from "../authentication/impersonation-headers.ts";
import type { User } from "../authentication/user.ts";
import type { ServedResources } from "../registry/served-resources.ts";
import type { Caller, Place, Verbs } from "../registry/verbs.ts";
import type { RequestInfo } from "../requests/request-info.ts";
import type { Endpoints } from "./endpoints.ts";
import type { Exchange } from "./exchange.ts";
import type { Nodes } from "./nodes.ts";

/** By what a client says who it is. */
export interface Credentials {
  headers: IncomingHttpHeaders;
  /** One that our CA vouches for. */
  certificate: X509Certificate | undefined;
}

export interface Verdict {
  allowed: boolean;
  /** Who allows it, or why nobody does; may be empty. */
  reason: string;
}

export interface ServerParts {
  readonly verbs: Verbs;
  readonly served: ServedResources;
  readonly endpoints: Endpoints;
  readonly nodes?: Nodes;
  /** Undefined where the credentials are no good. Not called where there are none at all. */
  authenticate(credentials: Credentials): Promise<User | undefined>;
  /** Who is meant where a user speaks for another; the user where nobody else is. Throws where they may not. */
  impersonate(user: User, headers: DistinctHeaders, info: RequestInfo): User;
  authorize(user: User, info: RequestInfo): Verdict;
  /** Throws where a stream is not to be opened; `sent` is what the query says. */
  checkConnect?(place: Place, subresource: string, sent: object, caller: Caller): void;
  /** Whatever is no resource; false where there is nothing at the path. */
  answerPath(exchange: Exchange): Promise<boolean>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A request that may be answered, and who asked. */
export interface Admitted {
  readonly parts: ServerParts;
  readonly exchange: Exchange;
  readonly caller: Caller;
}
