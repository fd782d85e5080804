/**
 * Who may act for somebody else. There are the plain verb `impersonate`, for any request, and narrower ways: each is for
 * one sort of user, and needs `impersonate:<way>` for the user and `impersonate-on:<way>:<verb>` for what is done. The
 * first way that allows it counts; where none does, the first refusal is told.
 */
import { isDNS1123Label, isDNS1123Subdomain, type StatusError } from "@berg/apimachinery";
import { authenticatedGroup, mastersGroup, type User } from "../authentication/user.ts";
import type { RequestInfo, ResourceRequest } from "../requests/request-info.ts";
import { extraProblem } from "./impersonated-extra.ts";
import type { Verdict } from "./rbac.ts";
import { refused } from "./refused.ts";

type Authorize = (user: User, info: RequestInfo) => Verdict;

/** One way, with who is asked about on it. */
interface Way {
  /** `""` is the plain verb. */
  name: string;
  isFor(wanted: User, asker: User): boolean;
}

interface Check {
  asker: User;
  wanted: User;
  way: string;
  authorize: Authorize;
}

const anonymous = "system:anonymous";
const unauthenticatedGroup = "system:unauthenticated";
const nodeNameKey = "authentication.kubernetes.io/node-name";
const authenticationGroup = "authentication.k8s.io";
/** From so many on, one question for all of them is tried first. */
const many = 4;
const mostRemembered = 10_000;

const ways: readonly Way[] = [
  {
    name: "associated-node",
    isFor(wanted, asker) {
      const node = nodeOf(wanted.name);
      const own = asker.extra?.[nodeNameKey];
      return isOnlyNamed(wanted) && node !== undefined && accountOf(asker.name) !== undefined && isOne(own, node);
    },
  },
  { name: "arbitrary-node", isFor: (wanted) => isOnlyNamed(wanted) && nodeOf(wanted.name) !== undefined },
  { name: "serviceaccount", isFor: (wanted) => isOnlyNamed(wanted) && accountOf(wanted.name) !== undefined },
  { name: "user-info", isFor: ({ name }) => nodeOf(name) === undefined && accountOf(name) === undefined },
  { name: "", isFor: () => true },
];

export class Impersonation {
  readonly #authorize: Authorize;
  /** The way that served an asker last is tried first, as Kubernetes does: it shows in groups, and in what is told. */
  readonly #lastWays = new Map<string, Way>();

  constructor(authorize: Authorize) {
    this.#authorize = authorize;
  }

  /** The user as whom the request goes on. Throws where the asker may not be that user. */
  userFor(asker: User, wanted: User, info: RequestInfo): User {
    const last = this.#lastWays.get(asker.name);
    const order = last ? [last, ...ways.filter((way) => way !== last)] : ways;
    const refusals: StatusError[] = [];
    for (const way of order) {
      if (!way.isFor(wanted, asker)) continue;
      const refusal = refusalOf({ asker, wanted, way: way.name, authorize: this.#authorize }, info);
      if (!refusal) {
        this.#remember(asker.name, way);
        return completed(wanted, way.name);
      }
      refusals.push(refusal);
    }
    throw refusals[0] as StatusError;
  }

  /** Whoever was served longest ago is forgotten: names come from outside, and have no end. */
  #remember(asker: string, way: Way): void {
    this.#lastWays.delete(asker);
    this.#lastWays.set(asker, way);
    const [oldest] = this.#lastWays.keys();
    if (this.#lastWays.size > mostRemembered && oldest !== undefined) this.#lastWays.delete(oldest);
  }
}

function refusalOf(check: Check, info: RequestInfo): StatusError | undefined {
  const { way } = check;
  const onVerb = way === "" ? undefined : may(check, { ...info, verb: `impersonate-on:${way}:${info.verb}` });
  return onVerb ?? mayBeNamed(check) ?? mayHaveUid(check) ?? mayHaveGroups(check) ?? mayHaveExtra(check);
}

function mayBeNamed(check: Check): StatusError | undefined {
  const { wanted, way } = check;
  const node = way === "" ? undefined : nodeOf(wanted.name);
  const account = accountOf(wanted.name);
  if (node !== undefined) return may(check, about(check, "nodes", way === "associated-node" ? "*" : node));
  if (account) return may(check, { ...about(check, "serviceaccounts", account.name), namespace: account.namespace });
  return may(check, about(check, "users", wanted.name));
}

function mayHaveUid(check: Check): StatusError | undefined {
  const { uid } = check.wanted;
  return uid === undefined ? undefined : may(check, { ...about(check, "uids", uid), group: authenticationGroup });
}

function mayHaveGroups(check: Check): StatusError | undefined {
  const { groups } = check.wanted;
  const isNarrow = check.way !== "";
  if (isNarrow && groups.includes(""))
    return refused(check.asker, about(check, "groups", ""), "impersonating the empty string group is not allowed");
  if (isNarrow && groups.includes(mastersGroup)) {
    const why = "impersonating the system:masters group is not allowed";
    return refused(check.asker, about(check, "groups", mastersGroup), why);
  }
  if (isNarrow && groups.length >= many && !may(check, about(check, "groups", "*"))) return undefined;
  return firstRefusal(groups, (one) => may(check, about(check, "groups", one)));
}

function mayHaveExtra(check: Check): StatusError | undefined {
  const { extra = {} } = check.wanted;
  const extras = Object.entries(extra).flatMap(([key, values]) => values.map((value) => ({ key, value })));
  const asked = (key: string, value: string) => ({
    ...about(check, "userextras", value),
    group: authenticationGroup,
    subresource: key,
  });
  if (check.way !== "") {
    const problem = extras.map(({ key, value }) => extraProblem(key, value)).find((text) => text !== undefined);
    if (problem !== undefined) return refused(check.asker, asked("", ""), problem);
    if (extras.length >= many && !may(check, asked("*", "*"))) return undefined;
  }
  return firstRefusal(extras, ({ key, value }) => may(check, asked(key, value)));
}

function firstRefusal<T>(things: readonly T[], ask: (thing: T) => StatusError | undefined): StatusError | undefined {
  for (const thing of things) {
    const refusal = ask(thing);
    if (refusal) return refusal;
  }
  return undefined;
}

function may({ asker, authorize }: Check, info: object): StatusError | undefined {
  // These are no verbs of requests, only of rules.
  const asked = info as RequestInfo;
  const { allowed, reason } = authorize(asker, asked);
  return allowed ? undefined : refused(asker, asked, reason);
}

/** Users and groups are of the core group for the plain verb alone. */
function about({ way }: Check, resource: string, name: string): ResourceRequest {
  const verb = (way === "" ? "impersonate" : `impersonate:${way}`) as ResourceRequest["verb"];
  const group = way === "" ? "" : authenticationGroup;
  return { isResource: true, verb, group, version: "v1", namespace: "", resource, name, subresource: "" };
}

/** With the groups that go without saying. */
function completed(wanted: User, way: string): User {
  const { name, groups } = wanted;
  const account = accountOf(name);
  const isNode = way !== "" && nodeOf(name) !== undefined;
  const own = isNode ? ["system:nodes"] : groups.length === 0 && account ? groupsOf(account.namespace) : groups;
  const everybody = name === anonymous ? unauthenticatedGroup : authenticatedGroup;
  const isSaid = own.includes(everybody) || own.includes(unauthenticatedGroup);
  return { ...wanted, groups: isSaid ? own : [...own, everybody] };
}

function groupsOf(namespace: string): string[] {
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}

function isOnlyNamed({ uid, groups, extra }: User): boolean {
  return uid === undefined && groups.length === 0 && extra === undefined;
}

function isOne(values: readonly string[] | undefined, wanted: string): boolean {
  return values?.length === 1 && values[0] === wanted;
}

function nodeOf(user: string): string | undefined {
  const name = /^system:node:(.*)$/.exec(user)?.[1] ?? "";
  return isDNS1123Subdomain(name) ? name : undefined;
}

function accountOf(user: string): { namespace: string; name: string } | undefined {
  const [, namespace = "", name = ""] = /^system:serviceaccount:([^:]*):([^:]*)$/.exec(user) ?? [];
  return isDNS1123Label(namespace) && isDNS1123Subdomain(name) ? { namespace, name } : undefined;
}
