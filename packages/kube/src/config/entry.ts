import { dirname, resolve } from "node:path";
import { ConfigurationError } from "./configuration-error.ts";

/**
 * One mapping of a kubeconfig (a cluster, a user, …) of which nothing is known yet: each field is checked when it is
 * read, so that a mistake in an entry that nobody uses stops nobody. As in Kubernetes, `""` and `null` mean unset.
 */
export class Entry {
  /** How errors name it, such as `user "admin" in /home/ada/.kube/config`. */
  readonly what: string;
  readonly #file: string;
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(what: string, file: string, value: unknown) {
    this.what = what;
    this.#file = file;
    if (!isUnset(value) && !isMapping(value)) throw this.wrong(`is ${nameOfType(value)}, not a mapping`);
    this.#fields = isMapping(value) ? value : {};
  }

  /** `throw user.wrong("has no command")` */
  wrong(problem: string): ConfigurationError {
    return new ConfigurationError(`${this.what} ${problem}`);
  }

  has(field: string): boolean {
    return !isUnset(this.#get(field));
  }

  text(field: string): string | undefined {
    const value = this.#get(field);
    if (isUnset(value)) return undefined;
    if (typeof value === "string") return value;
    const fix = typeof value === "object" ? "" : ": put it in quotes";
    throw this.wrong(`has a wrong ${field}: it is ${nameOfType(value)}, not text${fix}`);
  }

  flag(field: string): boolean {
    const value = this.#get(field);
    if (isUnset(value)) return false;
    if (typeof value === "boolean") return value;
    throw this.wrong(`has a wrong ${field}: it is ${nameOfType(value)}, not true or false`);
  }

  /** A path in a kubeconfig is relative to that file, wherever the process was started. */
  path(field: string): string | undefined {
    const path = this.text(field);
    return path === undefined ? undefined : this.resolve(path);
  }

  resolve(path: string): string {
    return resolve(dirname(this.#file), path);
  }

  base64(field: string): string | undefined {
    const encoded = this.text(field)?.replace(/\s/g, "");
    if (encoded === undefined) return undefined;
    if (encoded === "" || encoded.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) {
      throw this.wrong(`has a wrong ${field}: it is not base64`);
    }
    return Buffer.from(encoded, "base64").toString("utf8");
  }

  /** The JSON value as it stands, for what is only passed on. */
  raw(field: string): unknown {
    return this.#get(field);
  }

  section(field: string): Entry | undefined {
    return this.has(field) ? new Entry(`${field} of ${this.what}`, this.#file, this.#get(field)) : undefined;
  }

  list(field: string): Entry[] {
    return this.#items(field).map(
      (item, index) => new Entry(`${field}[${index}] of ${this.what}`, this.#file, item ?? {}),
    );
  }

  texts(field: string): string[] {
    return this.#items(field).map((item, index) => {
      if (typeof item === "string") return item;
      throw this.wrong(`has a wrong ${field}[${index}]: it is ${nameOfType(item)}, not text: put it in quotes`);
    });
  }

  /** The mapping inside a list item such as `{name: admin, user: {…}}`, under a name of its own. */
  body(field: string, what: string): Entry {
    return new Entry(what, this.#file, this.#get(field));
  }

  #items(field: string): unknown[] {
    const value = this.#get(field);
    if (isUnset(value)) return [];
    if (Array.isArray(value)) return value;
    throw this.wrong(`has wrong ${field}: it is ${nameOfType(value)}, not a list`);
  }

  #get(field: string): unknown {
    return this.#fields[field];
  }
}

function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

export function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function nameOfType(value: unknown): string {
  if (value === null) return "empty";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a mapping";
  return typeof value === "string" ? "text" : `a ${typeof value}`;
}
