import { createHash } from "node:crypto";
import type { KubeObject, Stored } from "@berg/apimachinery";
import { comparedPart, isAsWanted } from "./is-as-wanted.ts";

/**
 * Which children need no write. Those that are as wanted; and those where the server, or somebody who changes what
 * others write, makes something else of it each time: writing the same again at every look would be a loop without end.
 * For these it remembers what was wanted and what came of it. As soon as either changes, it is worth a write again.
 *
 *     if (found && settled.has(manifest, found)) return;
 *     settled.wrote(manifest, await ensureChild(…));
 */
export class SettledChildren {
  /** By UID; only digests, since a child may hold a flag. */
  readonly #accepted = new Map<string, string>();
  /** UIDs of those that have needed no write at an earlier look. */
  readonly #settled = new Set<string>();
  /**
   * What was found to be as wanted. Copies do not change, so the same pair need not be compared again. By what is wanted,
   * which goes as soon as nobody asks for it any more: copies stay, and would keep all that was ever wanted of them.
   */
  readonly #fine = new WeakMap<object, Stored<KubeObject>>();

  has(wanted: object, found: Stored<KubeObject>): boolean {
    if (this.#fine.get(wanted) === found) return true;
    const { uid } = found.metadata;
    const isFine = isAsWanted(wanted, found);
    if (!isFine && this.#accepted.get(uid) !== digest(wanted, found)) return false;
    if (isFine && Object.isFrozen(found)) this.#fine.set(wanted, found);
    this.#settled.add(uid);
    return true;
  }

  /** Whether it has needed no write before: where it needs one now, it has changed, or what is wanted of it has. */
  had({ metadata }: Stored<KubeObject>): boolean {
    return this.#settled.has(metadata.uid);
  }

  /** To be told of each write with the server's answer to it. */
  wrote(wanted: object, answer: Stored<KubeObject>): void {
    const { uid } = answer.metadata;
    if (isAsWanted(wanted, answer)) this.#accepted.delete(uid);
    else this.#accepted.set(uid, digest(wanted, answer));
  }

  /** To be told of each child that is gone, or it is remembered for ever. */
  forget(uid: string): void {
    this.#accepted.delete(uid);
    this.#settled.delete(uid);
  }
}

function digest(wanted: object, found: Stored<KubeObject>): string {
  return createHash("sha256")
    .update(JSON.stringify([wanted, comparedPart(wanted, found)]))
    .digest("base64");
}
