/** What the CRD of Competition accepts and refuses, one case a constraint: a long table, to be read by the line. */
import { type Case, type Fields, repeated } from "./case.ts";

const early = "2026-10-01T18:00:00Z";
const late = "2026-10-02T18:00:00Z";

export const fullCompetitionSpec = {
  title: "Demo CTF",
  organiser: "The club",
  logoUrl: "https://example.com/logo.svg",
  links: [{ title: "Rules", url: "https://example.com/rules?lang=en#top" }],
  start: early,
  end: "2026-10-03T18:00:00+02:00",
  freeze: { start: early, end: late },
  pause: { start: early, end: late },
  afterEnd: "practice",
  registration: {
    mode: "code",
    codeSecretRef: { name: "registration", key: "code" },
    opensAt: early,
    closesAt: late,
    maxPlayers: 500,
  },
  visibility: { challenges: "players", board: "hidden" },
  teams: { enabled: true, maxSize: 4 },
  divisions: [{ name: "students", title: "Students" }],
  playerAttributes: [
    {
      name: "country",
      title: "Country",
      description: "Where you live",
      public: true,
      required: true,
      values: [{ value: "CH", title: "Switzerland", description: "" }],
    },
  ],
  scoring: { formula: "gzctf", maximum: 1000, minimum: 0, solvesBeforeMinimum: 30, bonuses: [30, 20, 10] },
  submissions: { burst: 10, intervalSeconds: 1 },
  instances: { owner: "team", timeout: "1h30m", maxRenewals: 3 },
};

const defaults = {
  title: "Berg",
  organiser: "",
  links: [],
  afterEnd: "closed",
  registration: { mode: "closed" },
  visibility: { challenges: "public", board: "public" },
  teams: { enabled: false },
  divisions: [],
  playerAttributes: [],
  scoring: { formula: "berg", maximum: 500, minimum: 100, solvesBeforeMinimum: 50, bonuses: [] },
  submissions: { burst: 5, intervalSeconds: 5 },
  instances: { owner: "player" },
};

const withRegistration = (registration: Fields) => ({ registration });
const withScoring = (scoring: Fields) => ({ scoring });
const withLink = (url: unknown) => ({ links: [{ title: "Rules", url }] });
const withAttribute = (fields: Fields) => ({ playerAttributes: [{ name: "country", values, ...fields }] });
const values = [{ value: "CH" }];

const specs: [string, Fields, Partial<Case>?][] = [
  ["nothing but defaults", {}, { wantStored: { spec: defaults } }],
  ["everything it can hold", fullCompetitionSpec, { wantStored: { spec: fullCompetitionSpec } }],
  [
    "null for whatever may be left out",
    Object.fromEntries(Object.keys(fullCompetitionSpec).map((name) => [name, null])),
    { wantStored: { spec: defaults } },
  ],
  [
    "empty objects",
    { registration: {}, visibility: {}, teams: {}, scoring: {}, submissions: {}, instances: {} },
    { wantStored: { spec: defaults } },
  ],
  [
    "one field of an object",
    { visibility: { board: "players" }, scoring: { maximum: 200 } },
    {
      wantStored: {
        spec: {
          visibility: { challenges: "public", board: "players" },
          scoring: { ...defaults.scoring, maximum: 200 },
        },
      },
    },
  ],
  ["an empty title", { title: "" }, { wantRefused: ["spec.title"] }],
  ["a title of 128 characters", { title: "t".repeat(128) }],
  ["a title of 129 characters", { title: "t".repeat(129) }, { wantRefused: ["spec.title"] }],
  ["an organiser of 129 characters", { organiser: "o".repeat(129) }, { wantRefused: ["spec.organiser"] }],
  ["no logo", { logoUrl: "" }],
  ["a logo in the cluster, by its port", { logoUrl: "http://localhost:8080" }],
  ["a logo without a scheme", { logoUrl: "logo.svg" }, { wantRefused: ["spec.logoUrl"] }],
  ["a logo that is a script", { logoUrl: "javascript:alert(1)" }, { wantRefused: ["spec.logoUrl"] }],
  ["a link that ends an attribute", withLink('https://example.com/"x'), { wantRefused: ["spec.links[0].url"] }],
  ["a link with a space", withLink("https://example.com/a b"), { wantRefused: ["spec.links[0].url"] }],
  ["a link with a line feed", withLink("https://example.com/\n"), { wantRefused: ["spec.links[0].url"] }],
  ["a link without a host", withLink("https:///rules"), { wantRefused: ["spec.links[0].url"] }],
  ["a link to nowhere", withLink(""), { wantRefused: ["spec.links[0].url"] }],
  ["a link of 1025 characters", withLink(`https://${"a".repeat(1017)}`), { wantRefused: ["spec.links[0].url"] }],
  ["a link without a title", { links: [{ url: "https://example.com" }] }, { wantRefused: ["spec.links[0].title"] }],
  [
    "17 links",
    { links: repeated(17, () => ({ title: "Rules", url: "https://example.com" })) },
    { wantRefused: ["spec.links"] },
  ],
  ["a start alone", { start: early }],
  ["an end alone", { end: early }],
  ["an end at the start", { start: early, end: early }, { wantRefused: ["spec.end"] }],
  ["an end before the start", { start: late, end: early }, { wantRefused: ["spec.end"] }],
  [
    "an end that is earlier by its offset alone",
    { start: early, end: "2026-10-01T19:00:00+02:00" },
    { wantRefused: ["spec.end"] },
  ],
  ["an end a nanosecond after the start", { start: early, end: "2026-10-01T18:00:00.000000001Z" }],
  ["a start without a zone", { start: "2026-10-01T18:00:00" }, { wantRefused: ["spec.start"] }],
  ["a freeze without an end", { freeze: { start: early } }],
  ["a freeze without a start", { freeze: { end: early } }, { wantRefused: ["spec.freeze.start"] }],
  ["a freeze that ends too early", { freeze: { start: late, end: early } }, { wantRefused: ["spec.freeze.end"] }],
  ["a pause without an end", { pause: { start: early } }],
  ["a pause that ends too early", { pause: { start: late, end: early } }, { wantRefused: ["spec.pause.end"] }],
  ["another way after the end", { afterEnd: "open" }, { wantRefused: ["spec.afterEnd"] }],
  ["registration for everybody", withRegistration({ mode: "open" })],
  ["another way to register", withRegistration({ mode: "invite" }), { wantRefused: ["spec.registration.mode"] }],
  [
    "registration by a code that is nowhere",
    withRegistration({ mode: "code" }),
    { wantRefused: ["spec.registration.codeSecretRef"] },
  ],
  [
    "registration by a code under the usual key",
    withRegistration({ mode: "code", codeSecretRef: { name: "registration" } }),
    { wantStored: { spec: { registration: { codeSecretRef: { name: "registration", key: "code" } } } } },
  ],
  [
    "a Secret in another namespace",
    withRegistration({ codeSecretRef: { name: "other/registration" } }),
    { wantRefused: ["spec.registration.codeSecretRef.name"] },
  ],
  [
    "an empty key",
    withRegistration({ codeSecretRef: { name: "registration", key: "" } }),
    { wantRefused: ["spec.registration.codeSecretRef.key"] },
  ],
  [
    "registration that closes before it opens",
    withRegistration({ opensAt: late, closesAt: early }),
    { wantRefused: ["spec.registration.closesAt"] },
  ],
  ["registration of nobody", withRegistration({ maxPlayers: 0 }), { wantRefused: ["spec.registration.maxPlayers"] }],
  ["challenges for nobody", { visibility: { challenges: "hidden" } }, { wantRefused: ["spec.visibility.challenges"] }],
  ["another board", { visibility: { board: "private" } }, { wantRefused: ["spec.visibility.board"] }],
  ["teams of nobody", { teams: { maxSize: 0 } }, { wantRefused: ["spec.teams.maxSize"] }],
  ["teams of 1001", { teams: { maxSize: 1001 } }, { wantRefused: ["spec.teams.maxSize"] }],
  ["text for teams", { teams: { enabled: "yes" } }, { wantRefused: ["spec.teams.enabled"] }],
  [
    "a division in upper case",
    { divisions: [{ name: "Students", title: "" }] },
    { wantRefused: ["spec.divisions[0].name"] },
  ],
  ["a division without a title", { divisions: [{ name: "students" }] }, { wantRefused: ["spec.divisions[0].title"] }],
  [
    "a division twice",
    { divisions: repeated(2, () => ({ name: "students", title: "" })) },
    { wantRefused: ["spec.divisions[1]"] },
  ],
  [
    "33 divisions",
    { divisions: repeated(33, (i) => ({ name: `d${i}`, title: "" })) },
    { wantRefused: ["spec.divisions"] },
  ],
  [
    "the least that an attribute needs",
    withAttribute({}),
    {
      wantStored: {
        spec: {
          playerAttributes: [
            {
              ...{ name: "country", title: "", description: "", public: false, required: false },
              values: [{ value: "CH", title: "", description: "" }],
            },
          ],
        },
      },
    },
  ],
  ["an attribute without a name", withAttribute({ name: "" }), { wantRefused: ["spec.playerAttributes[0].name"] }],
  [
    "an attribute that no value is for",
    withAttribute({ values: [] }),
    { wantRefused: ["spec.playerAttributes[0].values"] },
  ],
  [
    "an attribute without values",
    withAttribute({ values: undefined }),
    { wantRefused: ["spec.playerAttributes[0].values"] },
  ],
  [
    "a value twice",
    withAttribute({ values: [...values, ...values] }),
    { wantRefused: ["spec.playerAttributes[0].values[1]"] },
  ],
  ["256 values", withAttribute({ values: repeated(256, (i) => ({ value: `v${i}` })) })],
  [
    "257 values",
    withAttribute({ values: repeated(257, (i) => ({ value: `v${i}` })) }),
    { wantRefused: ["spec.playerAttributes[0].values"] },
  ],
  [
    "an attribute twice",
    { playerAttributes: repeated(2, () => ({ name: "country", values })) },
    { wantRefused: ["spec.playerAttributes[1]"] },
  ],
  ["another formula", withScoring({ formula: "cubic" }), { wantRefused: ["spec.scoring.formula"] }],
  ["a minimum that is the maximum", withScoring({ minimum: 500 })],
  ["a minimum over the maximum", withScoring({ minimum: 501 }), { wantRefused: ["spec.scoring.minimum"] }],
  [
    "a maximum below the default of the minimum",
    withScoring({ maximum: 50 }),
    { wantRefused: ["spec.scoring.minimum"] },
  ],
  ["a maximum of nothing", withScoring({ maximum: 0, minimum: 0 }), { wantRefused: ["spec.scoring.maximum"] }],
  ["half a point", withScoring({ maximum: 500.5 }), { wantRefused: ["spec.scoring.maximum"] }],
  [
    "a minimum before the first solve",
    withScoring({ solvesBeforeMinimum: 0 }),
    { wantRefused: ["spec.scoring.solvesBeforeMinimum"] },
  ],
  ["a bonus below zero", withScoring({ bonuses: [10, -1] }), { wantRefused: ["spec.scoring.bonuses[1]"] }],
  ["11 bonuses", withScoring({ bonuses: repeated(11, () => 1) }), { wantRefused: ["spec.scoring.bonuses"] }],
  ["no submissions", { submissions: { burst: 0 } }, { wantRefused: ["spec.submissions.burst"] }],
  [
    "more than an hour between submissions",
    { submissions: { intervalSeconds: 3601 } },
    { wantRefused: ["spec.submissions.intervalSeconds"] },
  ],
  ["another owner of instances", { instances: { owner: "all" } }, { wantRefused: ["spec.instances.owner"] }],
  ["a timeout in days", { instances: { timeout: "1d" } }, { wantRefused: ["spec.instances.timeout"] }],
  ["no renewals", { instances: { maxRenewals: 0 } }],
  ["less than no renewals", { instances: { maxRenewals: -1 } }, { wantRefused: ["spec.instances.maxRenewals"] }],
  ["a field that does not exist", { startTime: early }, { wantRefused: ["spec.startTime"] }],
];

const kind = "Competition";

export const competitionCases: Case[] = [
  ...specs.map(([name, spec, want]): Case => ({ name, kind, write: { spec }, ...want })),
  { name: "no spec", kind, write: {}, wantRefused: ["spec"] },
];
