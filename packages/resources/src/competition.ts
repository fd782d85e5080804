/** Competition: the rules of one event, which its organisers write. Everything has a default, so `spec: {}` is valid. */
import { compareTimes, type KubeObject } from "@berg/apimachinery";
import { z } from "zod";
import { defaulted, httpUrl, labelName, list, listMap, objectName, text, time, timeout } from "./fields.ts";
import { type Rule, ruled } from "./rules.ts";
import { minimumUpToMaximum, scoringFields } from "./scoring.ts";

export const afterEndModes = ["closed", "practice"] as const;
export const registrationModes = ["open", "code", "closed"] as const;
export const challengeAudiences = ["public", "players"] as const;
export const boardAudiences = ["public", "players", "hidden"] as const;
export const instanceOwners = ["player", "team"] as const;

/** Where both are set, `later` lies after `earlier`. */
function inOrder<E extends string, L extends string>(
  earlier: E,
  later: L,
): Rule<{ [key in E]?: string } & { [key in L]?: string }> {
  return {
    cel: `!has(self.${earlier}) || !has(self.${later}) || self.${later} > self.${earlier}`,
    message: `${later} must be after ${earlier}`,
    field: later,
    holds: (self) => {
      const [from, to] = [self[earlier], self[later]] as [string | undefined, string | undefined];
      return from === undefined || to === undefined || compareTimes(to, from) > 0;
    },
  };
}

function period(what: string, then: string) {
  return ruled(
    z.strictObject({
      start: time().describe(`From this time on ${what}.`),
      end: time()
        .describe(`From this time on ${then}. Left out: until the field is removed or changed.`)
        .exactOptional(),
    }),
    inOrder("start", "end"),
  );
}

const link = z
  .strictObject({
    title: text({ min: 1, max: 64 }).describe("Text of the link."),
    url: httpUrl().describe("Where the link leads, such as https://example.com/rules."),
  })
  .describe("One link.");

const registration = ruled(
  z.strictObject({
    mode: z
      .enum(registrationModes)
      .describe(
        "Who may register. open: everybody who can sign in. code: those who know the code in codeSecretRef. closed: nobody.",
      )
      .default("closed"),
    codeSecretRef: z
      .strictObject({
        name: objectName().describe("Name of the Secret, in the namespace of the Competition."),
        key: text({
          min: 1,
          max: 253,
          pattern: /^[-._a-zA-Z0-9]+$/,
          must: "must be letters, digits, '-', '_' and '.'",
        })
          .describe("Key in the Secret under which the code is.")
          .default("code"),
      })
      .describe("Secret with the code that players have to enter. Required with the mode code.")
      .exactOptional(),
    opensAt: time().describe("Nobody can register before this time.").exactOptional(),
    closesAt: time().describe("Nobody can register from this time on.").exactOptional(),
    maxPlayers: z
      .int()
      .min(1)
      .max(1_000_000)
      .describe("How many players can register at most. Left out: any number.")
      .exactOptional(),
  }),
  {
    cel: "self.mode != 'code' || has(self.codeSecretRef)",
    message: "codeSecretRef is required with the mode code: name the Secret that holds the code",
    field: "codeSecretRef",
    holds: ({ mode, codeSecretRef }) => mode !== "code" || codeSecretRef !== undefined,
  },
  inOrder("opensAt", "closesAt"),
).describe("Who may become a player, and when.");

const visibility = z
  .strictObject({
    challenges: z
      .enum(challengeAudiences)
      .describe("Who sees the challenges. public: everybody. players: those who are registered.")
      .default("public"),
    board: z
      .enum(boardAudiences)
      .describe(
        "Who sees the scoreboard. public: everybody. players: those who are registered. hidden: organisers only.",
      )
      .default("public"),
    ctftime: z
      .boolean()
      .describe("Whether everybody can read the standings in the format of CTFtime, whoever sees the scoreboard.")
      .default(false),
  })
  .describe("Who sees what.");

const teams = z
  .strictObject({
    enabled: z.boolean().describe("Whether players form teams that score together.").default(false),
    maxSize: z
      .int()
      .min(1)
      .max(1000)
      .describe("How many players a team can have at most. Left out: any number.")
      .exactOptional(),
  })
  .describe("Whether players play alone or in teams.");

const division = z
  .strictObject({
    name: labelName().describe("Name of the division for programs, such as students."),
    title: text({ max: 128 }).describe("Name of the division shown to players, such as Students."),
  })
  .describe("One division.");

const attributeValue = z
  .strictObject({
    value: text({ min: 1, max: 128 }).describe("The value as it is stored, such as CH."),
    title: text({ max: 128 }).describe("What players read, such as Switzerland. Empty: the value.").default(""),
    description: text({ max: 1024 }).describe("More about the value.").default(""),
  })
  .describe("One value that players can choose.");

const playerAttribute = z
  .strictObject({
    name: text({ min: 1, max: 128 }).describe("Name of the attribute for programs, such as country."),
    title: text({ max: 128 }).describe("What players read, such as Country. Empty: the name.").default(""),
    description: text({ max: 1024 }).describe("More about the attribute.").default(""),
    public: z.boolean().describe("Whether everybody sees what a player has chosen.").default(false),
    required: z.boolean().describe("Whether players have to choose a value before they play.").default(false),
    values: listMap(attributeValue, ["value"], 256).min(1).describe("Values that players can choose from."),
  })
  .describe("One attribute.");

const scoring = ruled(
  z.strictObject({
    formula: scoringFields.formula.default("berg"),
    maximum: scoringFields.maximum.default(500),
    minimum: scoringFields.minimum.default(100),
    solvesBeforeMinimum: scoringFields.solvesBeforeMinimum.default(50),
    bonuses: scoringFields.bonuses.default([]),
  }),
  minimumUpToMaximum(
    "self.minimum <= self.maximum",
    "minimum cannot be more than maximum; where they are left out, they are 100 and 500",
  ),
).describe("How many points a solve gives.");

const submissions = z
  .strictObject({
    burst: z.int().min(1).max(1000).describe("How many flags a player can submit at once.").default(5),
    intervalSeconds: z
      .int()
      .min(1)
      .max(3600)
      .describe("After how many seconds a player can submit one more flag.")
      .default(5),
  })
  .describe("How fast a player can submit flags.");

const instances = z
  .strictObject({
    owner: z
      .enum(instanceOwners)
      .describe("To whom an instance belongs. player: to the player who started it. team: to all of the team.")
      .default("player"),
    timeout: timeout()
      .describe(
        "How long an instance lives, such as 30m or 1h30m, unless its Challenge says otherwise. Empty or left out: the default of the controller.",
      )
      .exactOptional(),
    maxRenewals: z
      .int()
      .min(0)
      .max(1000)
      .describe("How often an instance can be renewed. Left out: any number of times.")
      .exactOptional(),
  })
  .describe("The instances that players start.");

export const competitionSpec = ruled(
  z.strictObject({
    title: text({ min: 1, max: 128 }).describe("Title of the competition.").default("Berg"),
    organiser: text({ max: 128 }).describe("Who organises the competition.").default(""),
    logoUrl: httpUrl({ orEmpty: true })
      .describe("Address of the logo, such as https://example.com/logo.svg. Empty or left out: no logo.")
      .exactOptional(),
    links: list(link, 16).describe("Links shown to everybody, such as one to the rules.").default([]),
    start: time().describe("When the competition starts. Left out: it has always been open.").exactOptional(),
    end: time().describe("When the competition ends. Left out: it never does.").exactOptional(),
    freeze: period("the scoreboard does not change", "the scoreboard shows everything again")
      .describe("When the scoreboard is frozen. Submissions still count.")
      .exactOptional(),
    pause: period("no flag can be submitted and no instance started", "both are possible again")
      .describe("When the competition is paused.")
      .exactOptional(),
    afterEnd: z
      .enum(afterEndModes)
      .describe(
        "What is possible after the end. closed: nothing is started or submitted any more. practice: players can go on, without points.",
      )
      .default("closed"),
    registration: defaulted(registration),
    visibility: defaulted(visibility),
    teams: defaulted(teams),
    divisions: listMap(division, ["name"], 32).describe("Divisions, each with a ranking of its own.").default([]),
    playerAttributes: listMap(playerAttribute, ["name"], 32)
      .describe("What players tell about themselves when they register, such as their country.")
      .default([]),
    scoring: defaulted(scoring),
    submissions: defaulted(submissions),
    instances: defaulted(instances),
  }),
  inOrder("start", "end"),
).describe("The rules of the competition.");

export type CompetitionSpec = z.output<typeof competitionSpec>;

/** The rules of `spec: {}`. */
export function competitionDefaults(): CompetitionSpec {
  return competitionSpec.parse({});
}
export type PlayerAttribute = CompetitionSpec["playerAttributes"][number];
export type CompetitionScoring = CompetitionSpec["scoring"];

/** As the API server returns it: every default is filled in. */
export interface Competition extends KubeObject {
  spec: CompetitionSpec;
}
