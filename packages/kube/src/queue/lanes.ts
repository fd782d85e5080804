/** What can stand in a lane. */
export interface Linked<T> {
  priority: number;
  /** Rises with every arrival in any lane. */
  order: number;
  previous: T | undefined;
  next: T | undefined;
}

interface Lane<T> {
  readonly priority: number;
  first: T | undefined;
  last: T | undefined;
}

/**
 * A line of items for each priority: the highest priority goes first, first come first served within it.
 *
 * No item starves: after `maxBypass` turns in a row that passed over the item that has stood longest, that item gets the
 * turn, whatever its priority. So an item with n items ahead of it by age goes within (n + 1) · (maxBypass + 1) turns, of
 * those in which it is not left out.
 *
 * A lane once made stays, so priorities should be a handful of levels, not a scale.
 */
export class Lanes<T extends Linked<T>> {
  readonly #maxBypass: number;
  /** Highest priority first. */
  readonly #lanes: Lane<T>[] = [];
  #arrivals = 0;
  #bypasses = 0;

  constructor(maxBypass: number) {
    this.#maxBypass = maxBypass;
  }

  /** To the end of the lane of its priority. */
  push(item: T): void {
    const lane = this.#lane(item.priority);
    item.order = this.#arrivals++;
    item.previous = lane.last;
    item.next = undefined;
    if (lane.last) lane.last.next = item;
    else lane.first = item;
    lane.last = item;
  }

  /** To the end of a higher lane; a lower priority than it has changes nothing. */
  raise(item: T, priority: number): void {
    if (priority <= item.priority) return;
    this.#unlink(item, this.#lane(item.priority));
    item.priority = priority;
    this.push(item);
  }

  /** Takes out the item whose turn it is; of those with priorities that are `among` these, if told. */
  shift(among?: (priority: number) => boolean): T | undefined {
    let highest: T | undefined;
    let oldest: T | undefined;
    let oldestOfAll: T | undefined;
    for (const { first, priority } of this.#lanes) {
      if (!first) continue;
      if (!oldestOfAll || first.order < oldestOfAll.order) oldestOfAll = first;
      if (among?.(priority) === false) continue;
      highest ??= first;
      if (!oldest || first.order < oldest.order) oldest = first;
    }
    const turn = this.#bypasses < this.#maxBypass ? highest : oldest;
    if (!turn) return undefined;
    if (turn !== oldest) this.#bypasses++;
    // Not where all that are older are left out: their turn is still to come.
    else if (turn === oldestOfAll || turn !== highest) this.#bypasses = 0;
    this.#unlink(turn, this.#lane(turn.priority));
    return turn;
  }

  #unlink(item: T, lane: Lane<T>): void {
    if (item.previous) item.previous.next = item.next;
    else lane.first = item.next;
    if (item.next) item.next.previous = item.previous;
    else lane.last = item.previous;
    item.previous = undefined;
    item.next = undefined;
  }

  #lane(priority: number): Lane<T> {
    let place = 0;
    for (const lane of this.#lanes) {
      if (lane.priority === priority) return lane;
      if (lane.priority < priority) break;
      place++;
    }
    const lane: Lane<T> = { priority, first: undefined, last: undefined };
    this.#lanes.splice(place, 0, lane);
    return lane;
  }
}
