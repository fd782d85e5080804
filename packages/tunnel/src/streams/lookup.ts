/**
 * Names of servers, looked up for each stream, so that what a name means may change. Node has few threads for it, and a
 * name server that does not answer holds one for many seconds: so all who ask for one name at a time ask together, and
 * `localhost`, which most tunnels lead to, is not asked for at all.
 */
import { type LookupAddress, type LookupAllOptions, lookup as lookUp } from "node:dns";
import type { LookupFunction } from "node:net";

type Told = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

const loopback: LookupAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

export class Lookups {
  readonly #underWay = new Map<string, Told[]>();
  readonly #lookUp: (name: string, options: LookupAllOptions, told: Told) => void;

  constructor(lookUpAll: (name: string, options: LookupAllOptions, told: Told) => void = lookUp) {
    this.#lookUp = lookUpAll;
  }

  /** For `connect`. */
  readonly lookup: LookupFunction = (name, { all }, callback) => {
    this.#ask(name, (error, addresses) => {
      const [first = { address: "", family: 0 }] = addresses;
      if (all) callback(error, addresses);
      else callback(error, first.address, first.family);
    });
  };

  #ask(name: string, told: Told): void {
    if (name === "localhost") {
      process.nextTick(told, null, loopback);
      return;
    }
    const waiting = this.#underWay.get(name);
    if (waiting) {
      waiting.push(told);
      return;
    }
    const all = [told];
    this.#underWay.set(name, all);
    this.#lookUp(name, { all: true }, (error, addresses) => {
      this.#underWay.delete(name);
      for (const each of all) each(error, addresses ?? []);
    });
  }
}
