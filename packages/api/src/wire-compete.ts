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
