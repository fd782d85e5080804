/** The public list of all players, as JSON. It is read again at most once a second, or after a change in this process. */
import type { Clock } from "@berg/kube";
import type { CompetitionSpec } from "@berg/resources";
import type { Kysely } from "kysely";
import type { Tables } from "../database/schema.ts";
import { presentPlayer } from "./present.ts";
import { listPlayers } from "./store.ts";

/** Until then a change that another process made may be missing. */
const longestMs = 1_000;

interface Deps {
  db: Kysely<Tables>;
  clock: Clock;
  competition(): CompetitionSpec;
}

interface Read {
  readonly at: number;
  readonly rules: CompetitionSpec;
  readonly json: Promise<Buffer>;
}

export class PlayerList {
  readonly #deps: Deps;
  #last: Read | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  json(): Promise<Buffer> {
    const { clock, competition } = this.#deps;
    const [at, rules] = [clock.monotonic(), competition()];
    if (this.#last && this.#last.rules === rules && at - this.#last.at < longestMs) return this.#last.json;
    // Requests at the same time share one read.
    const read: Read = { at, rules, json: this.#read(rules) };
    this.#last = read;
    read.json.catch(() => {
      if (this.#last === read) this.invalidate();
    });
    return read.json;
  }

  /** After a change of a player. */
  invalidate(): void {
    this.#last = undefined;
  }

  async #read({ playerAttributes }: CompetitionSpec): Promise<Buffer> {
    const players = await listPlayers(this.#deps.db);
    return Buffer.from(JSON.stringify(players.map((player) => presentPlayer(player, playerAttributes))));
  }
}
