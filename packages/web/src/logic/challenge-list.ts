/** The list of challenges: filtered, grouped by first category, easiest first. */
import type { Challenge } from "@berg/api/wire";
import { texts } from "../texts.ts";

export interface ChallengeFilter {
  search: string;
  category: string;
  difficulty: string;
}

export interface ChallengeGroup {
  category: string;
  challenges: Challenge[];
}

/** The usual difficulties in their order; authors may use others. */
export const difficulties = ["baby", "easy", "medium", "hard", "leet"];

export function groupChallenges(challenges: Challenge[], filter: ChallengeFilter): ChallengeGroup[] {
  const matching = challenges.filter((challenge) => matches(challenge, filter));
  const groups = Map.groupBy(matching, mainCategory);
  return [...groups]
    .map(([category, members]) => ({ category, challenges: members.sort(byDifficultyThenName) }))
    .sort((a, b) => compare(a.category, b.category));
}

/** Every category and difficulty that occurs, for the filters. */
export function filterChoices(challenges: Challenge[]): { categories: string[]; difficulties: string[] } {
  const categories = new Set(challenges.flatMap((challenge) => challenge.categories));
  const used = new Set(challenges.map(({ difficulty }) => difficulty).filter(Boolean));
  return {
    categories: [...categories].sort(compare),
    difficulties: [...used].sort((a, b) => difficultyRank(a) - difficultyRank(b) || compare(a, b)),
  };
}

/** 1 to 5, or 0 for a difficulty that is not one of the usual ones. */
export function difficultyLevel(difficulty: string): number {
  return difficulties.indexOf(difficulty.toLowerCase()) + 1;
}

export function mainCategory({ categories }: Challenge): string {
  return categories[0] ?? texts.challenges.uncategorized;
}

/** Authors write `web` and `easy`; headings and labels begin with a capital letter. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function matches(challenge: Challenge, { search, category, difficulty }: ChallengeFilter): boolean {
  if (category !== "" && !challenge.categories.includes(category)) return false;
  if (difficulty !== "" && challenge.difficulty !== difficulty) return false;
  const { displayName, name, author, tags, categories } = challenge;
  const searched = [displayName, name, author, ...tags, ...categories].join("\n").toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word));
}

function byDifficultyThenName(a: Challenge, b: Challenge): number {
  return difficultyRank(a.difficulty) - difficultyRank(b.difficulty) || a.displayName.localeCompare(b.displayName);
}

function difficultyRank(difficulty: string): number {
  return difficultyLevel(difficulty) || difficulties.length + 1;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
