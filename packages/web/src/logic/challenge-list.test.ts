import { expect, test } from "vitest";
import { makeChallenge } from "../testing/wire-objects.ts";
import { filterChoices, groupChallenges } from "./challenge-list.ts";

const challenges = [
  makeChallenge("forum", { categories: ["web"], difficulty: "hard", tags: ["xss"] }),
  makeChallenge("notes", { categories: ["web"], difficulty: "baby", author: "Ada" }),
  makeChallenge("vault", { categories: ["crypto", "web"], difficulty: "medium" }),
  makeChallenge("odd", { difficulty: "weird" }),
];

const everything = { search: "", category: "", difficulty: "" };

const namesOf = (filter: Partial<typeof everything>) =>
  groupChallenges(challenges, { ...everything, ...filter }).map(({ category, challenges: members }) => [
    category,
    ...members.map(({ name }) => name),
  ]);

test("groups by the first category, easiest first", () => {
  expect(namesOf({})).toEqual([
    ["crypto", "vault"],
    ["uncategorized", "odd"],
    ["web", "notes", "forum"],
  ]);
});

test("finds every word of a search in names, authors, tags and categories", () => {
  expect(namesOf({ search: "XSS forum" })).toEqual([["web", "forum"]]);
  expect(namesOf({ search: "ada" })).toEqual([["web", "notes"]]);
  expect(namesOf({ search: "xss ada" })).toEqual([]);
});

test("filters by any category and by difficulty", () => {
  expect(namesOf({ category: "web" })).toEqual([
    ["crypto", "vault"],
    ["web", "notes", "forum"],
  ]);
  expect(namesOf({ difficulty: "hard" })).toEqual([["web", "forum"]]);
});

test("offers what occurs, in the usual order", () => {
  expect(filterChoices(challenges)).toEqual({
    categories: ["crypto", "web"],
    difficulties: ["baby", "medium", "hard", "weird"],
  });
});
