/** The board beside a recomputation that is written for readers only: filters over rows, no state, no indexes. */
import { scoringFormulas } from "@berg/resources";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { challengeValue, scoringOf } from "../scoring/formulas.ts";
import { ctftimeFeed } from "./ctftime.ts";
import type { Cut } from "./cut.ts";
import { boardDocument } from "./document.ts";
import { BoardModel } from "./model.ts";
import type { AccountFlags, BoardChallenge, BoardRow, BoardRows, BoardSettings, Scorer } from "./rows.ts";

const scorerIds = ["s1", "s2", "s3", "s4"];
const playerIds = ["p1", "p2", "p3", "s1"];
const challengeNames = ["a", "b", "c", "d"];
const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0);

/** Rows as tables of a database: the state after all rows, in which order they came forgotten. */
function tablesOf(rows: readonly BoardRow[]): BoardRows {
  const scorers = new Map<string, Scorer>();
  const accounts = new Map<string, { id: string } & AccountFlags>();
  let changes = 0;
  for (const row of rows) {
    if (row.type === "scorer") scorers.set(row.id, { id: row.id, name: row.name, division: row.division });
    if (row.type === "scorer-removed") scorers.delete(row.id);
    if (row.type === "account") accounts.set(row.id, row);
    if (["scorer", "scorer-removed", "account"].includes(row.type)) changes++;
  }
  const of = <T extends BoardRow["type"]>(type: T) => rows.filter((row) => row.type === type) as never;
  return {
    scorers: scorers.values(),
    accounts: accounts.values(),
    solves: of("solve"),
    awards: of("award"),
    unlocks: of("unlock"),
    changes,
  };
}

function naiveCut(rows: readonly BoardRow[], settings: BoardSettings, name: "public" | "full") {
  const tables = tablesOf(rows);
  const end = name === "public" ? (settings.freeze ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
  const inCut = <T extends { at: number }>(given: Iterable<T>) => [...given].filter(({ at }) => at < end);
  const [allSolves, awards, unlocks] = [inCut(tables.solves), inCut(tables.awards), inCut(tables.unlocks)];
  const out = new Set(
    [...tables.accounts].filter(({ banned, hidden, admin }) => banned || hidden || admin).map(({ id }) => id),
  );
  const scorers = [...tables.scorers].filter(({ id }) => !out.has(id));
  const solves = allSolves
    .toSorted((a, b) => a.id - b.id)
    .filter((solve) => scorers.some(({ id }) => id === solve.scorerId))
    .filter((solve) => !out.has(solve.playerId))
    .filter((solve) => settings.challenges.some((challenge) => challenge.name === solve.challenge))
    .filter((solve) => settings.start === undefined || solve.at >= settings.start)
    .filter((solve, index, all) => {
      const same = (other: typeof solve) => other.scorerId === solve.scorerId && other.challenge === solve.challenge;
      return all.findIndex(same) === index;
    });
  const challenges = settings.challenges
    .map((challenge) => {
      const own = solves.filter((solve) => solve.challenge === challenge.name);
      const scoring = scoringOf(settings.scoring, challenge.scoring);
      const value = challengeValue(scoring, own.length);
      const points = new Map(own.map((solve, index) => [solve.id, value + (scoring.bonuses[index] ?? 0)]));
      return { name: challenge.name, value, solves: own.length, firstBlood: own[0]?.id ?? null, points };
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const pointsOf = (solve: { id: number }) =>
    challenges.map(({ points }) => points.get(solve.id)).find((p) => p !== undefined) ?? 0;
  const isSeen = (challenge: string) => challenges.some(({ name }) => name === challenge);
  const standings = scorers
    .map((scorer) => {
      const own = solves.filter(({ scorerId }) => scorerId === scorer.id);
      const last = own
        .filter((solve) => pointsOf(solve) > 0)
        .toSorted((a, b) => a.at - b.at || a.id - b.id)
        .at(-1);
      const score =
        sum(own.map(pointsOf)) +
        sum(awards.filter(({ scorerId }) => scorerId === scorer.id).map(({ points }) => points)) -
        sum(
          unlocks
            .filter(({ scorerId, challenge }) => scorerId === scorer.id && isSeen(challenge))
            .map(({ cost }) => cost),
        );
      return { scorer, score, solves: own.length, last };
    })
    .toSorted((a, b) => {
      if (a.score !== b.score) return b.score - a.score;
      if (a.last && b.last) return a.last.at - b.last.at || a.last.id - b.last.id;
      if (a.last || b.last) return a.last ? -1 : 1;
      if (a.scorer.name !== b.scorer.name) return a.scorer.name < b.scorer.name ? -1 : 1;
      return a.scorer.id < b.scorer.id ? -1 : 1;
    });
  const ranking = standings.map(({ scorer, score, solves, last }, index) => ({
    rank: index + 1,
    divisionRank:
      scorer.division === null
        ? null
        : standings.slice(0, index + 1).filter((other) => other.scorer.division === scorer.division).length,
    scorer,
    score,
    solves,
    lastSolveAt: last?.at ?? null,
  }));
  const cut = settings.freeze === undefined ? "full" : name;
  return {
    version: `${cut}.${settings.epoch}.${allSolves.length + awards.length + unlocks.length + tables.changes}`,
    ranking,
    challenges: challenges.map(({ points: _, ...figures }) => figures),
    solves: solves.map((solve) => [solve.id, pointsOf(solve)]),
  };
}

/** The same shape of a Cut; ids stand for rows. */
function figuresOf(cut: Cut) {
  return {
    version: cut.version,
    ranking: cut.ranking,
    challenges: cut.challenges.map(({ firstBlood, ...figures }) => ({
      ...figures,
      firstBlood: firstBlood?.id ?? null,
    })),
    solves: cut.solves().map(({ id, points }) => [id, points]),
  };
}

/** Everything that a person without rights can be shown. */
function publicBytes(model: BoardModel, viewer: string): string {
  const cut = model.public;
  return JSON.stringify([
    boardDocument(cut),
    ctftimeFeed(cut),
    figuresOf(cut),
    scorerIds.map((id) => [cut.standing(id), cut.solvesOf(id), cut.graph(id)]),
    challengeNames.map((name) => [cut.value(name), cut.solvesOfChallenge(name)]),
    model.own(viewer),
  ]);
}

const at = fc.integer({ min: 0, max: 20 });
const scorerId = fc.constantFrom(...scorerIds);
const challenge = fc.constantFrom(...challengeNames);
const rowWithoutId = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant("solve"),
      scorerId,
      playerId: fc.constantFrom(...playerIds),
      challenge,
      at,
    }),
  },
  fc.record({ type: fc.constant("award"), scorerId, points: fc.integer({ min: -100, max: 100 }), at }),
  fc.record({ type: fc.constant("unlock"), scorerId, challenge, cost: fc.nat(50), at }),
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("scorer"),
      id: scorerId,
      name: fc.constantFrom("x", "y", "<b>\u202e"),
      division: fc.constantFrom(null, "open", "students"),
    }),
  },
  fc.record({ type: fc.constant("scorer-removed"), id: scorerId }),
  fc.record({
    type: fc.constant("account"),
    id: fc.constantFrom(...scorerIds, ...playerIds),
    banned: fc.boolean(),
    hidden: fc.boolean(),
    admin: fc.boolean(),
  }),
);
const registered = scorerIds.map((id): BoardRow => ({ type: "scorer", id, name: `team ${id}`, division: null }));
const anyRows = fc
  .array(rowWithoutId, { maxLength: 40 })
  .map((rows) => [...registered, ...rows.map((row, index) => ({ id: index + 1, ...row }) as BoardRow)]);

const scoring = fc.record({
  formula: fc.constantFrom(...scoringFormulas),
  maximum: fc.integer({ min: 50, max: 500 }),
  minimum: fc.nat(50),
  solvesBeforeMinimum: fc.integer({ min: 1, max: 5 }),
  bonuses: fc.array(fc.nat(20), { maxLength: 3 }),
});
const anySettings: fc.Arbitrary<BoardSettings> = fc.record({
  epoch: fc.nat(3),
  start: fc.option(fc.nat(5), { nil: undefined }),
  freeze: fc.option(at, { nil: undefined }),
  scoring,
  challenges: fc.subarray(challengeNames).chain((names) =>
    fc.tuple(
      ...names.map((name) =>
        fc.oneof(
          fc.constant({ name }),
          scoring.map((override) => ({ name, scoring: override })),
          // Worth nothing: such solves must not move the tie-break.
          fc.constant<BoardChallenge>({ name, scoring: { formula: "gzctf", maximum: 1, minimum: 0, bonuses: [] } }),
        ),
      ),
    ),
  ),
});

test("any interleaving of rows and settings gives the board of a naive recomputation", () => {
  const step = fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, anySettings);
  fc.assert(
    fc.property(anyRows, fc.infiniteStream(step), anySettings, (rows, steps, first) => {
      let settings = first;
      const model = new BoardModel(settings);
      rows.forEach((row, index) => {
        const next = steps.next().value;
        if (next) {
          settings = next;
          model.configure(settings);
        }
        model.apply(row);
        if (index % 5 !== 0 && index !== rows.length - 1) return;
        const soFar = rows.slice(0, index + 1);
        expect(figuresOf(model.public)).toEqual(naiveCut(soFar, settings, "public"));
        expect(figuresOf(model.full)).toEqual(naiveCut(soFar, settings, "full"));
      });
      const replayed = new BoardModel(settings, tablesOf(rows));
      expect(JSON.stringify(boardDocument(replayed.public))).toBe(JSON.stringify(boardDocument(model.public)));
      expect(figuresOf(replayed.full)).toEqual(figuresOf(model.full));
    }),
    { numRuns: 150 },
  );
});

test("every public byte is equal with and without the rows after the freeze", () => {
  fc.assert(
    fc.property(anyRows, anySettings, at, scorerId, (rows, settings, freeze, viewer) => {
      const isWithheld = (row: BoardRow) => "at" in row && row.at >= freeze && row.scorerId !== viewer;
      const frozen = { ...settings, freeze };
      const [all, without] = [rows, rows.filter((row) => !isWithheld(row))].map(
        (given) => new BoardModel(frozen, tablesOf(given)),
      ) as [BoardModel, BoardModel];
      expect(publicBytes(all, viewer)).toBe(publicBytes(without, viewer));
    }),
    { numRuns: 300 },
  );
});

test("a graph ends at the score", () => {
  fc.assert(
    fc.property(anyRows, anySettings, (rows, settings) => {
      const { full } = new BoardModel(settings, tablesOf(rows));
      for (const { scorer, score } of full.ranking) expect(full.graph(scorer.id).at(-1)?.score ?? 0).toBe(score);
    }),
  );
});

describe("the model", () => {
  const settings: BoardSettings = {
    epoch: 7,
    start: undefined,
    freeze: undefined,
    scoring: { formula: "static", maximum: 100, minimum: 0, solvesBeforeMinimum: 10, bonuses: [10] },
    challenges: [{ name: "a" }, { name: "b" }],
  };
  const solve = (id: number, scorerId: string, challenge: string): BoardRow => {
    return { type: "solve", id, scorerId, playerId: `p-${scorerId}`, challenge, at: id * 10 };
  };

  test("reads a row twice, and late rows, as if each had come once and in order", () => {
    const model = new BoardModel(settings, tablesOf(registered));
    const before = model.public;
    for (const row of [solve(2, "s2", "a"), solve(2, "s2", "a"), solve(1, "s1", "a")]) model.apply(row);
    expect(model.public.challenges[0]?.firstBlood).toMatchObject({ id: 1, scorerId: "s1" });
    expect(model.public.version).toBe("full.7.6");
    expect(before.solves()).toEqual([]);
  });

  test("gives first blood and bonus to the next solver while the first is banned", () => {
    const model = new BoardModel(settings, tablesOf([...registered, solve(1, "s1", "a"), solve(2, "s2", "a")]));
    const account = { type: "account", id: "s1", hidden: false, admin: false } as const;
    expect(model.public.standing("s1")).toMatchObject({ rank: 1, score: 110 });
    model.apply({ ...account, banned: true });
    expect(model.public.standing("s1")).toBeUndefined();
    expect(model.public.standing("s2")).toMatchObject({ rank: 1, score: 110 });
    model.apply({ ...account, banned: false });
    expect(model.public.standing("s2")).toMatchObject({ rank: 2, score: 100 });
  });

  test("leaves a solve with the team in which it was made", () => {
    const moved: BoardRow = { type: "solve", id: 2, scorerId: "s2", playerId: "p-s1", challenge: "b", at: 20 };
    const model = new BoardModel(settings, tablesOf([...registered, solve(1, "s1", "a"), moved]));
    expect(model.public.ranking.slice(0, 2).map(({ scorer, score }) => [scorer.id, score])).toEqual([
      ["s1", 110],
      ["s2", 110],
    ]);
  });

  test("shows a scorer its own solves after the freeze at the public value, and nobody else", () => {
    const frozen = { ...settings, freeze: 15 };
    const model = new BoardModel(frozen, tablesOf([...registered, solve(1, "s1", "a"), solve(2, "s1", "b")]));
    expect(model.own("s1")).toMatchObject({
      score: 210,
      solves: [{ isPublic: true }, { isPublic: false, points: 100 }],
    });
    expect(model.public.standing("s1")?.score).toBe(110);
    expect(model.full.standing("s1")?.score).toBe(220);
    expect(model.public.version).toBe("public.7.5");
  });
});
