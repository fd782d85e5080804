/** Teams, flags and solves on the wire. */
import { z } from "zod";

const time = () => z.iso.datetime().describe("RFC 3339, in UTC.");

/** As the original has it: letters, digits, marks, punctuation, symbols and spaces. No invisible characters. */
export const teamName = z
  .string()
  .trim()
  .min(1)
  .max(32)
  .regex(/^[\p{L}\p{N}\p{M}\p{P}\p{S} ]*$/u, "must be letters, digits, punctuation, symbols and spaces");

const teamFields = {
  id: z.uuid(),
  name: z.string(),
  players: z.array(z.uuid()).describe("Present members, in the order in which they joined."),
  captainId: z.uuid().describe("Added."),
  division: z.string().nullable().describe("Name of a division of the competition. Added."),
};

export const team = z.object(teamFields).describe("A team, as everybody sees it.");
export type Team = z.infer<typeof team>;

export const currentTeam = z
  .object({ ...teamFields, joinToken: z.string().describe("Whoever has it can join.") })
  .describe("The team of the player who asks.");
export type CurrentTeam = z.infer<typeof currentTeam>;

const division = z.string().max(63).nullable();

export const createTeamRequest = z.object({ name: teamName, division: division.default(null).describe("Added.") });
export const joinTeamRequest = z.object({ joinToken: z.string().trim().min(1).max(128) });
export const patchTeamRequest = z.object({ name: teamName.optional(), division: division.optional() });
export const captainRequest = z.object({ playerId: z.string().max(64) });

/** Longer than any flag; the route refuses what is longer than a flag may be with a text of its own. */
const submittedFlag = z.string().max(16_384);

export const solveRequest = z.object({ challenge: z.string().max(253), flag: submittedFlag });

export const solve = z
  .object({ playerId: z.uuid(), challengeName: z.string(), solvedAt: time() })
  .extend({
    teamId: z.uuid().nullable().describe("The team in which it was made. Added."),
    isPractice: z.boolean().describe("The flag is right and does not count: the competition is over. Added."),
  })
  .describe("A solve of a challenge.");
export type Solve = z.infer<typeof solve>;

export const verdicts = ["correct", "wrong", "foreign", "practice-correct", "practice-wrong"] as const;

export const submission = z
  .object({
    id: z.uuid(),
    playerId: z.uuid(),
    submittedAt: time(),
    challengeName: z.string(),
    value: z.string().describe("Empty where only the HMAC is stored."),
    verdict: z.enum(verdicts).describe("Added."),
  })
  .describe("A flag that a player submitted.");
export type Submission = z.infer<typeof submission>;

export const submissionsQuery = z.object({
  verdict: z
    .string()
    .max(128)
    .default("wrong,foreign")
    .describe(`With commas between them, or all. One of: ${verdicts.join(", ")}. Added.`),
});
