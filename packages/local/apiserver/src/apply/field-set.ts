/**
 * A set of fields of one object, as a tree of steps. A field and what is below it are members each for itself:
 * `.metadata.labels` and `.metadata.labels.app` may be in the set together, or either alone.
 *
 * The operations give new sets, which share what did not change. `add` and `addAll` are for a set that is still being made.
 */
import { type FieldPath, type PathElement, sortElements } from "./path-element.ts";

type Below = Map<PathElement, FieldSet>;

// Most fields have nothing below them, and a map of their own each would be most of the work.
const nothing: Below = new Map();

export class FieldSet {
  /** Whether the field where this stands is itself in the set. Of a whole object, never. */
  #isMember: boolean;
  #below: Below;

  /** Takes the map over. */
  constructor(isMember = false, below: Below = nothing) {
    this.#isMember = isMember;
    this.#below = below;
  }

  static of(...paths: FieldPath[]): FieldSet {
    const set = new FieldSet();
    for (const path of paths) set.add(path);
    return set;
  }

  get isMember(): boolean {
    return this.#isMember;
  }

  get below(): ReadonlyMap<PathElement, FieldSet> {
    return this.#below;
  }

  /** Nobody owns an object as a whole: the empty path is not taken. */
  add(path: FieldPath): void {
    if (path.length === 0) return;
    let place: FieldSet = this;
    for (const element of path) {
      let next = place.#below.get(element);
      if (!next) {
        next = new FieldSet();
        if (place.#below === nothing) place.#below = new Map();
        place.#below.set(element, next);
      }
      place = next;
    }
    place.#isMember = true;
  }

  /** Adds the members of another set, in time that depends on the size of the other one only. */
  addAll(other: FieldSet): void {
    this.#isMember ||= other.#isMember;
    if (other.#below.size > 0 && this.#below === nothing) this.#below = new Map();
    for (const [element, theirs] of other.#below) {
      let ours = this.#below.get(element);
      if (!ours) {
        ours = new FieldSet();
        this.#below.set(element, ours);
      }
      ours.addAll(theirs);
    }
  }

  has(path: FieldPath): boolean {
    let place: FieldSet | undefined = this;
    for (const element of path) place = place?.below.get(element);
    return place?.isMember ?? false;
  }

  isEmpty(): boolean {
    return !this.#isMember && !this.hasBelow();
  }

  /** Whether anything below this is in the set. */
  hasBelow(): boolean {
    for (const set of this.#below.values()) if (!set.isEmpty()) return true;
    return false;
  }

  union(other: FieldSet): FieldSet {
    if (other.#below.size === 0 && (this.#isMember || !other.#isMember)) return this;
    if (this.#below.size === 0 && (other.#isMember || !this.#isMember)) return other;
    const below = new Map(this.#below);
    for (const [element, theirs] of other.#below) {
      const ours = below.get(element);
      below.set(element, ours ? ours.union(theirs) : theirs);
    }
    return new FieldSet(this.#isMember || other.#isMember, below);
  }

  intersection(other: FieldSet): FieldSet {
    return this.#each(this.#isMember && other.#isMember, (element, ours) => {
      const theirs = other.#below.get(element);
      return theirs && ours.intersection(theirs);
    });
  }

  /** Without these members. What is below a member stays. */
  difference(other: FieldSet): FieldSet {
    const isMember = this.#isMember && !other.#isMember;
    if (other.#below.size === 0 && isMember === this.#isMember) return this;
    return this.#each(isMember, (element, ours) => {
      const theirs = other.#below.get(element);
      return theirs ? ours.difference(theirs) : ours;
    });
  }

  /** Without these members and all that is below them. */
  without(other: FieldSet): FieldSet {
    if (other.#below.size === 0) return this;
    return this.#each(this.#isMember, (element, ours) => {
      const theirs = other.#below.get(element);
      if (!theirs) return ours;
      return theirs.#isMember ? undefined : ours.without(theirs);
    });
  }

  /** In the order in which Kubernetes lists conflicts: of each object first its own fields, then what is below them. */
  *paths(before: FieldPath = []): Generator<FieldPath> {
    const elements = sortElements(this.#below.keys());
    for (const element of elements) if (this.#below.get(element)?.isMember) yield [...before, element];
    for (const element of elements) yield* this.#below.get(element)?.paths([...before, element]) ?? [];
  }

  #each(isMember: boolean, change: (element: PathElement, set: FieldSet) => FieldSet | undefined): FieldSet {
    const below: Below = new Map();
    for (const [element, set] of this.#below) {
      const changed = change(element, set);
      if (changed && !changed.isEmpty()) below.set(element, changed);
    }
    return new FieldSet(isMember, below.size > 0 ? below : nothing);
  }
}
