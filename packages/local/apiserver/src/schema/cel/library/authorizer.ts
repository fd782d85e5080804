/** `authorizer.group("apps").resource("deployments").namespace("a").check("create").allowed()`: may they do that? */
import { labelProblems, subdomainProblems } from "../../metadata/names.ts";
import { member, type Overload } from "../functions.ts";
import { CelError, Opaque } from "../values.ts";

export interface Who {
  name: string;
  uid?: string;
  groups: readonly string[];
  extra?: Readonly<Record<string, readonly string[]>>;
}

export type Question =
  | { isResource: false; verb: string; path: string }
  | {
      isResource: true;
      verb: string;
      group: string;
      resource: string;
      subresource: string;
      namespace: string;
      name: string;
    };

export type Authorize = (who: Who, question: Question) => { allowed: boolean; reason: string };

abstract class Asker extends Opaque {
  equals(other: Opaque): boolean {
    return this === other;
  }
}

const named = (name: string): string => `kubernetes.authorization.${name}`;

export class Authorizer extends Asker {
  readonly typeName = named("Authorizer");
  readonly #who: Who;
  readonly #authorize: Authorize;

  constructor(who: Who, authorize: Authorize) {
    super();
    this.#who = who;
    this.#authorize = authorize;
  }

  ask(question: Question): Decision {
    return new Decision(this.#authorize(this.#who, question));
  }

  group(group: string): GroupCheck {
    return new GroupCheck(this, group);
  }

  serviceAccount(namespace: string, name: string): Authorizer {
    if (subdomainProblems(name).length > 0) throw new CelError("Invalid service account name");
    if (labelProblems(namespace).length > 0) throw new CelError("Invalid service account namespace");
    const groups = ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
    return new Authorizer({ name: `system:serviceaccount:${namespace}:${name}`, groups }, this.#authorize);
  }
}

class PathCheck extends Asker {
  readonly typeName = named("PathCheck");
  readonly #authorizer: Authorizer;
  readonly #path: string;

  constructor(authorizer: Authorizer, path: string) {
    super();
    this.#authorizer = authorizer;
    this.#path = path;
  }

  check(verb: string): Decision {
    return this.#authorizer.ask({ isResource: false, verb, path: this.#path });
  }
}

class GroupCheck extends Asker {
  readonly typeName = named("GroupCheck");
  readonly #authorizer: Authorizer;
  readonly #group: string;

  constructor(authorizer: Authorizer, group: string) {
    super();
    this.#authorizer = authorizer;
    this.#group = group;
  }

  resource(resource: string): ResourceCheck {
    const about = { group: this.#group, resource, subresource: "", namespace: "", name: "" };
    return new ResourceCheck(this.#authorizer, about);
  }
}

type About = Omit<Extract<Question, { isResource: true }>, "isResource" | "verb">;

class ResourceCheck extends Asker {
  readonly typeName = named("ResourceCheck");
  readonly #authorizer: Authorizer;
  readonly #about: About;

  constructor(authorizer: Authorizer, about: About) {
    super();
    this.#authorizer = authorizer;
    this.#about = about;
  }

  with(more: Partial<About>): ResourceCheck {
    return new ResourceCheck(this.#authorizer, { ...this.#about, ...more });
  }

  check(verb: string): Decision {
    return this.#authorizer.ask({ isResource: true, verb, ...this.#about });
  }
}

class Decision extends Asker {
  readonly typeName = named("Decision");
  readonly allowed: boolean;
  readonly reason: string;

  constructor({ allowed, reason }: { allowed: boolean; reason: string }) {
    super();
    this.allowed = allowed;
    this.reason = reason;
  }
}

function nonEmpty(what: string, text: string): string {
  if (text.trim() === "") throw new CelError(`${what} must not be empty`);
  return text;
}

const types = {
  authorizer: named("Authorizer"),
  path: named("PathCheck"),
  group: named("GroupCheck"),
  resource: named("ResourceCheck"),
  decision: named("Decision"),
};

/** Asking costs more than computing. */
const costOfCheck = () => 350_000;

const narrowed = (field: "subresource" | "namespace" | "name"): Overload =>
  member(`${types.resource}.${field}(string): ${types.resource}`, (check: ResourceCheck, value: string) =>
    check.with({ [field]: value }),
  );

/** RBAC does not look at selectors, and so they change nothing. */
const unregarded = (field: string): Overload =>
  member(`${types.resource}.${field}(string): ${types.resource}`, (check: ResourceCheck) => check);

export const authorizers: Overload[] = [
  member(
    `${types.authorizer}.path(string): ${types.path}`,
    (authorizer: Authorizer, path: string) => new PathCheck(authorizer, nonEmpty("path", path)),
  ),
  member(`${types.authorizer}.group(string): ${types.group}`, (authorizer: Authorizer, group: string) =>
    authorizer.group(group),
  ),
  member(
    `${types.authorizer}.serviceAccount(string, string): ${types.authorizer}`,
    (authorizer: Authorizer, namespace: string, name: string) => authorizer.serviceAccount(namespace, name),
  ),
  member(`${types.group}.resource(string): ${types.resource}`, (group: GroupCheck, resource: string) =>
    group.resource(nonEmpty("resource", resource)),
  ),
  narrowed("subresource"),
  narrowed("namespace"),
  narrowed("name"),
  unregarded("fieldSelector"),
  unregarded("labelSelector"),
  member(
    `${types.path}.check(string): ${types.decision}`,
    (check: PathCheck, verb: string) => check.check(verb),
    costOfCheck,
  ),
  member(
    `${types.resource}.check(string): ${types.decision}`,
    (check: ResourceCheck, verb: string) => check.check(verb),
    costOfCheck,
  ),
  member(`${types.decision}.allowed(): bool`, ({ allowed }: Decision) => allowed),
  member(`${types.decision}.reason(): string`, ({ reason }: Decision) => reason),
  member(`${types.decision}.errored(): bool`, () => false),
  member(`${types.decision}.error(): string`, () => ""),
];
