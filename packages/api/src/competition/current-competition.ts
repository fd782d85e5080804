/**
 * The rules of the competition as they are now. They come from a Competition object; the last version that was seen is
 * stored, and stays in force where the object vanishes, so that a deletion by mistake does not close the event. Every
 * replica follows the object; the leader stores it.
 */
import { jsonEqual } from "@berg/apimachinery";
import { type Clock, errorText, type Logger } from "@berg/kube";
import { type CompetitionSpec, competitionDefaults } from "@berg/resources";
import type { Kysely } from "kysely";
import type { Tables } from "../database/schema.ts";

/** Before one was ever seen: closed to everyone but admins. */
const closed: CompetitionSpec = {
  ...competitionDefaults(),
  start: "9999-12-31T23:59:59Z",
  visibility: { challenges: "players", board: "players", ctftime: false },
};

interface Deps {
  db: Kysely<Tables>;
  clock: Clock;
  log: Logger;
  /** Of the Competition object. */
  name: string;
}

export class CurrentCompetition {
  readonly #deps: Deps;
  #spec = closed;
  #isMissing = true;

  private constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** With the version that was stored, until the object is seen. */
  static async load(deps: Deps): Promise<CurrentCompetition> {
    const current = new CurrentCompetition(deps);
    const row = await deps.db.selectFrom("competition").select("spec").where("name", "=", deps.name).executeTakeFirst();
    // A version that an older Berg stored lacks the fields of today.
    if (row) current.#spec = { ...competitionDefaults(), ...(JSON.parse(row.spec) as Partial<CompetitionSpec>) };
    return current;
  }

  get spec(): CompetitionSpec {
    return this.#spec;
  }

  /** Whether there is no object now: organisers are warned by a metric. */
  get isMissing(): boolean {
    return this.#isMissing;
  }

  /** This process has become the leader: the one before may not have stored the last change. */
  lead(): void {
    if (!this.#isMissing) this.#storeSoon(this.#spec);
  }

  /** Returns whether the rules have changed. */
  observe(spec: CompetitionSpec | undefined, isLeading: boolean): boolean {
    this.#isMissing = spec === undefined;
    if (spec === undefined) {
      this.#deps.log.warn(
        { competition: this.#deps.name },
        "there is no such Competition; the last one stays in force",
      );
      return false;
    }
    if (jsonEqual(spec, this.#spec)) return false;
    this.#spec = spec;
    if (isLeading) this.#storeSoon(spec);
    return true;
  }

  #storeSoon(spec: CompetitionSpec): void {
    this.#store(spec).catch((error) =>
      this.#deps.log.warn({ error: errorText(error) }, "cannot store the Competition; its next change is stored"),
    );
  }

  async #store(spec: CompetitionSpec): Promise<void> {
    const { db, clock, name } = this.#deps;
    const values = { spec: JSON.stringify(spec), seen_at: clock.now() };
    await db
      .insertInto("competition")
      .values({ name, ...values })
      .onConflict((conflict) => conflict.column("name").doUpdateSet(values))
      .execute();
  }
}
