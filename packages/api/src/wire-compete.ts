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
  .object({ ...teamFields, joinToken: z.string().describe("Everyone who has it can join.") })
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

const page = {
  page: z.coerce.number().int().min(1).max(1_000_000).default(1),
  pageSize: z.coerce.number().int().min(1).max(200).default(50),
};

export const announcement = z
  .object({
    id: z.uuid(),
    at: time(),
    title: z.string(),
    content: z.string().describe("HTML, sanitised by the server."),
  })
  .describe("A message of the organiser to everybody.");
export type Announcement = z.infer<typeof announcement>;

export const announcementRequest = z.object({
  title: z
    .string()
    .trim()
    .min(1)
    .max(128)
    .regex(/^[^\p{C}]*$/u, "must not contain control or invisible characters"),
  content: z.string().max(16_384).default("").describe("Markdown."),
});

export const incidentStates = ["open", "dismissed", "confirmed"] as const;

const party = z.object({ playerId: z.uuid(), name: z.string() });

export const incident = z
  .object({
    id: z.uuid(),
    at: time(),
    challengeName: z.string(),
    submitter: party.describe("Who submitted the flag of another owner."),
    scorerId: z.uuid().describe("For whom: the team where teams are on, else the player."),
    address: z.string().nullable().describe("Of the submitter, until addresses are erased."),
    ownerId: z.uuid().describe("Owner of the instance whose flag it is."),
    ownerName: z.string(),
    instanceId: z.uuid(),
    instanceStartedAt: time(),
    instanceEndedAt: time().nullable(),
    state: z.enum(incidentStates),
    note: z.string(),
    decidedBy: z.uuid().nullable(),
    decidedAt: time().nullable(),
  })
  .describe("The flag of one owner submitted by another. What it means is for organisers to decide.");
export type Incident = z.infer<typeof incident>;

export const incidentsQuery = z.object({ state: z.enum([...incidentStates, "all"]).default("open"), ...page });
export const incidents = z.object({ items: z.array(incident), total: z.int(), page: z.int(), pageSize: z.int() });
export type Incidents = z.infer<typeof incidents>;
export const incidentRequest = z.object({
  state: z.enum(incidentStates).optional(),
  note: z.string().max(4096).optional(),
});

export const auditEntry = z
  .object({
    id: z.uuid(),
    at: time(),
    actorId: z.string(),
    actorName: z.string(),
    action: z.string(),
    target: z.string(),
    before: z.unknown().describe("Null where it did not exist."),
    after: z.unknown().describe("Null where it no longer exists."),
  })
  .describe("What an organiser did.");
export type AuditEntry = z.infer<typeof auditEntry>;

export const auditQuery = z.object({ action: z.string().max(64).default(""), ...page });
export const auditLog = z.object({ items: z.array(auditEntry), total: z.int(), page: z.int(), pageSize: z.int() });
export type AuditLog = z.infer<typeof auditLog>;

const reason = z.string().trim().max(1024).describe("For other organisers: it is in the audit log.");

export const moderateRequest = z.object({
  isBanned: z.boolean().optional().describe("Out of the scoreboard; a banned player cannot sign in either."),
  isHidden: z.boolean().optional().describe("Out of the scoreboard for everybody but admins and the scorer."),
  reason: reason.default(""),
});

export const scorerState = z
  .object({ isBanned: z.boolean(), isHidden: z.boolean() })
  .describe("Whether a player or team is banned or hidden.");

export const awardRequest = z.object({
  scorerId: z.string().max(64).describe("The team where teams are on, else the player."),
  points: z.int().min(-1_000_000).max(1_000_000),
  reason: reason.min(1).describe("Shown to everybody with the points."),
});

const cell = z.int().nullable();

export const scoreboard = z
  .object({
    version: z.string().describe("Also the ETag. `<cut>.<epoch>.<n>`."),
    end: cell.describe("The public cut ends here, in ms since 1970; null: it does not end."),
    challenges: z.object({
      name: z.array(z.string()),
      value: z.array(z.number()),
      solves: z.array(z.int()),
      firstBlood: z.array(cell).describe("Index in `scorers`."),
    }),
    divisions: z.array(z.string()),
    epoch: z.int().describe("`scorers.last` counts from this time, in ms since 1970."),
    scorers: z
      .object({
        ref: z.array(z.string()).describe("The end of the id."),
        name: z.array(z.string()),
        division: z.array(cell).describe("Index in `divisions`."),
        score: z.array(z.number()),
        solves: z.array(z.int()),
        last: z.array(cell).describe("The last solve that gave points, in seconds since `epoch`."),
      })
      .describe("Columns, in the order of the ranks."),
  })
  .describe("The whole scoreboard.");
export type Scoreboard = z.infer<typeof scoreboard>;

export const scoreboardQuery = z.object({
  cut: z.enum(["public", "full"]).default("public").describe("full: also what the freeze hides; for admins."),
});

export const graphQuery = z.object({
  scorers: z.string().max(4096).default("").describe("Ids or refs, with commas between them; the first ten if empty."),
});

export const scoreGraph = z
  .object({
    version: z.string(),
    scorers: z.array(
      z.object({ id: z.uuid(), name: z.string(), points: z.array(z.object({ at: time(), score: z.number() })) }),
    ),
  })
  .describe("How scores grew, at the values of today.");
export type ScoreGraph = z.infer<typeof scoreGraph>;

const standingFields = {
  id: z.uuid().describe("Of the team where teams are on, else of the player."),
  name: z.string(),
  division: z.string().nullable(),
  rank: z.int().nullable().describe("Null where the scorer is not listed."),
  divisionRank: z.int().nullable(),
  score: z.number(),
};

const scoredSolve = z.object({
  playerId: z.uuid(),
  challengeName: z.string(),
  solvedAt: time(),
  points: z.number(),
});

export const scorerStanding = z
  .object({
    ...standingFields,
    members: z.array(z.uuid()).describe("Present members; the player alone without teams."),
    solves: z.array(scoredSolve.extend({ position: z.int().describe("1: first blood.") })),
  })
  .describe("What everybody may know of a scorer.");
export type ScorerStanding = z.infer<typeof scorerStanding>;

export const ownStanding = z
  .object({
    ...standingFields,
    solves: z.array(scoredSolve.extend({ isPublic: z.boolean().describe("Whether others see it.") })),
  })
  .describe("What the scorer of the player sees of itself. `score` has what the freeze hides from others.");
export type OwnStanding = z.infer<typeof ownStanding>;

export const challengeSolves = z
  .object({
    challengeName: z.string(),
    value: z.number(),
    solves: z.array(
      z.object({
        scorerId: z.uuid(),
        scorerName: z.string(),
        playerId: z.uuid(),
        solvedAt: time(),
        position: z.int().describe("1: first blood."),
      }),
    ),
  })
  .describe("Who solved a challenge, first blood first.");
export type ChallengeSolves = z.infer<typeof challengeSolves>;

export const ctftimeQuery = z.object({ division: z.string().max(63).optional() });
export const ctftime = z
  .object({ standings: z.array(z.object({ pos: z.int(), team: z.string(), score: z.number() })) })
  .describe("The standings as CTFtime reads them.");

export const hint = z
  .object({
    name: z.string(),
    title: z.string(),
    cost: z.int(),
    content: z.string().nullable().describe("HTML, sanitised by the server; null before it is unlocked."),
  })
  .describe("A hint of a challenge.");
export type Hint = z.infer<typeof hint>;
