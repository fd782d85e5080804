import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { largeBoard } from "../testing/large-board.ts";
import { ctftimeFeed } from "./ctftime.ts";
import { boardDocument, findScorer } from "./document.ts";
import { BoardModel } from "./model.ts";

const scoring = { formula: "static", maximum: 100, minimum: 0, solvesBeforeMinimum: 10, bonuses: [] } as const;
const settings = { epoch: 3, start: undefined, freeze: 9000, scoring, challenges: [{ name: "web" }, { name: "pwn" }] };
const small = new BoardModel(settings, {
  scorers: [
    { id: "id-aa", name: "<b>first</b>", division: null },
    { id: "id-ba", name: "second", division: "open" },
    { id: "id-bb", name: "third", division: "open" },
  ],
  accounts: [],
  solves: [
    { id: 1, scorerId: "id-ba", playerId: "p", challenge: "web", at: 2000 },
    { id: 2, scorerId: "id-aa", playerId: "q", challenge: "web", at: 4500 },
    { id: 3, scorerId: "id-aa", playerId: "q", challenge: "pwn", at: 5500 },
  ],
  awards: [],
  unlocks: [],
  changes: 0,
});

test("the document has the board by columns, in the order of the ranks", () => {
  expect(boardDocument(small.public)).toEqual({
    version: "public.3.3",
    end: 9000,
    challenges: { name: ["pwn", "web"], value: [100, 100], solves: [1, 2], firstBlood: [0, 1] },
    divisions: ["open"],
    epoch: 2000,
    scorers: {
      ref: ["aa", "ba", "bb"],
      name: ["<b>first</b>", "second", "third"],
      division: [null, 0, 0],
      score: [200, 100, 0],
      solves: [2, 1, 0],
      last: [3, 0, null],
    },
  });
});

test("a scorer is found by its reference, unless that is ambiguous", () => {
  expect(["ba", "id-ba", "b", "a", ""].map((ref) => findScorer(small.public, ref))).toEqual([
    "id-ba",
    "id-ba",
    "id-bb",
    undefined,
    undefined,
  ]);
});

test("CTFtime gets the scorers with points, by division where it asks for one", () => {
  expect(ctftimeFeed(small.public)).toEqual({
    standings: [
      { pos: 1, team: "<b>first</b>", score: 200 },
      { pos: 2, team: "second", score: 100 },
    ],
  });
  expect(ctftimeFeed(small.public, "open")).toEqual({ standings: [{ pos: 1, team: "second", score: 100 }] });
});

test("the board of 5,000 teams is small when compressed", () => {
  const { settings, rows } = largeBoard();
  const text = JSON.stringify(boardDocument(new BoardModel(settings, rows).public));
  const brotli = brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
  // Names and references are two thirds of it: they are random, and no compression gets below that.
  expect(brotli.length).toBeLessThan(66_000);
  expect(gzipSync(text).length).toBeLessThan(66_000);
});
