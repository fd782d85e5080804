/**
 * Every page and state that a person can see, and how to get there. The tests iterate this table: axe, overflow and
 * pictures. Where the server cannot be brought into a state, or only for a moment, `answers` replaces one answer and
 * says why. It is long, since it is one table.
 */
import type { AdminInstances, Instance, SignInLink } from "@berg/api/wire";
import type { Locator, Page, Route } from "playwright-core";
import { playerAttributes } from "./pages-objects.ts";
import type { Stage } from "./pages-stage.ts";

export interface State {
  name: string;
  /** Who looks at the page; the player where it is left out. */
  as?: "player" | "admin" | "visitor";
  /** Fields of the Competition that differ from the default. */
  competition?: object;
  /** The player has an instance of this challenge; none where it is left out. */
  instance?: string;
  answers?: Answer[];
  path: string | ((stage: Stage) => Promise<string>);
  /** What to do on the page. */
  act?: (page: Page, stage: Stage) => Promise<unknown>;
  /** What is visible once the state is reached. */
  shows: string | RegExp | ((page: Page) => Locator);
}

/** An answer of the API that the test gives in its place. */
interface Answer {
  path: string | RegExp;
  why: string;
  respond: (route: Route) => Promise<unknown>;
}

const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString().replace(/\.\d+/, "");
const button = (name: string) => (page: Page) => page.getByRole("button", { name, exact: true });
const heading = (name: string) => (page: Page) => page.getByRole("heading", { name, exact: true });
const click = (name: string) => (page: Page) => button(name)(page).click();
/** In order. */
const steps =
  (...all: NonNullable<State["act"]>[]): NonNullable<State["act"]> =>
  async (page, stage) => {
    for (const step of all) await step(page, stage);
  };

/** What the server answers, with changes. */
function changed<Body>(path: string, why: string, change: (body: Body) => object): Answer {
  return {
    path,
    why,
    async respond(route) {
      if (route.request().method() !== "GET") return route.fallback();
      const response = await realAnswer(route);
      return route.fulfill({ response, json: change(await response.json()) });
    },
  };
}

/** Node does not resolve names below localhost, as browsers do. */
async function realAnswer(route: Route) {
  const url = new URL(route.request().url());
  const headers = { ...(await route.request().allHeaders()), host: url.host };
  url.hostname = "127.0.0.1";
  return route.fetch({ url: url.href, headers });
}

const current = "**/api/instances/current";
const timeline = `${current}/timeline`;
const tooShort = "The state lasts for a moment only.";
const tooLong = "An instance lives for half an hour.";

const asInstance = (changes: (now: number) => Partial<Instance>, why = tooShort) =>
  changed<Instance>(current, why, (instance) => ({ ...instance, ...changes(Date.now()) }));

/** No answer at all. */
const unanswered = (path: string): Answer => ({
  path,
  why: "Loading lasts for a moment only.",
  respond: () => new Promise(() => {}),
});

/** An outage, as the API reports it. */
const outage = (path: string | RegExp, code: string, why: string): Answer => ({
  path,
  why,
  respond: (route) =>
    route.fulfill({
      status: 503,
      headers: { "retry-after": "5", "content-type": "application/problem+json" },
      json: { type: "about:blank", title: code, status: 503, code, detail: "" },
    }),
});
const anyRequest = /\/api\//;

const stagesAt = (times: (number | null)[], now: number): Instance["stages"] =>
  (["requested", "accepted", "namespace", "workloads", "ready"] as const).map((stage, index) => {
    const at = times[index] ?? null;
    return { stage, at: at === null ? null : new Date(now - at * 1000).toISOString() };
  });

const starting = (now: number): Partial<Instance> => ({
  status: 1,
  phase: "Starting",
  reason: null,
  message: null,
  services: [],
  startedAt: new Date(now - 14_000).toISOString(),
  readyAt: null,
  stages: stagesAt([14, 13, 11, null, null], now),
});

const noTimeline: Answer = {
  path: timeline,
  why: "The start of the real instance has ended.",
  respond: (route) => route.fulfill({ status: 404, json: {} }),
};

const ending = (left: number) => (now: number) => ({
  startedAt: new Date(now - 100 * 60_000).toISOString(),
  timeout: new Date(now + left * 1000).toISOString(),
});

const signIn: State[] = [
  { name: "sign-in", as: "visitor", path: "/sign-in", shows: heading("Sign in") },
  { name: "sign-in-already", path: "/sign-in", shows: "You are signed in as Player." },
  {
    name: "sign-in-can-register",
    as: "visitor",
    competition: { registration: { mode: "open" } },
    path: "/sign-in",
    shows: "New here?",
  },
  {
    name: "sign-in-link",
    as: "visitor",
    path: async (stage) => (await stage.newAccount("Gwen")).link,
    shows: heading("Sign in as Gwen"),
  },
  {
    name: "sign-in-link-replaces",
    path: async (stage) => (await stage.newAccount("Ulla")).link,
    shows: "Going on signs Player out in this browser.",
  },
  { name: "sign-in-bad-link", as: "visitor", path: "/sign-in#nothing", shows: "This link does not work" },
  {
    name: "sign-in-used-link",
    as: "visitor",
    path: async (stage) => {
      const { player } = await stage.newAccount("Olaf");
      const path = `/api/admin/players/${player.id}/link`;
      const { body } = await stage.admin.call<SignInLink>(path, { method: "POST", body: { kind: "one-time" } });
      const token = new URL(body.link).hash.slice(1);
      await stage.site.call("/api/sign-in", { method: "POST", body: { token } });
      return body.link;
    },
    shows: "This link does not work",
  },
];

const registration: State[] = [
  {
    name: "register",
    as: "visitor",
    competition: { registration: { mode: "open", closesAt: "2099-01-01T00:00:00Z" }, playerAttributes },
    path: "/register",
    shows: button("Register"),
  },
  {
    name: "register-with-mistakes",
    as: "visitor",
    competition: { registration: { mode: "open", closesAt: "2099-01-01T00:00:00Z" }, playerAttributes },
    path: "/register",
    act: click("Register"),
    shows: "Please fill this in.",
  },
  {
    name: "register-done",
    as: "visitor",
    competition: { registration: { mode: "open" } },
    path: "/register",
    act: steps((page) => page.getByLabel("Name").fill("Ida"), click("Register")),
    shows: "Welcome, Ida",
  },
  {
    name: "register-with-code",
    as: "visitor",
    competition: { registration: { mode: "code", codeSecretRef: { name: "registration-code" } } },
    path: "/register",
    shows: "Registration code",
  },
  {
    name: "register-wrong-code",
    as: "visitor",
    competition: { registration: { mode: "code", codeSecretRef: { name: "registration-code" } } },
    path: "/register",
    act: steps(
      (page) => page.getByLabel("Name").fill("Ida"),
      (page) => page.getByLabel("Registration code").fill("wrong"),
      click("Register"),
    ),
    shows: (page) => page.locator(".form-error"),
  },
  { name: "register-closed", as: "visitor", path: "/register", shows: "Registration is closed" },
  {
    name: "register-full",
    as: "visitor",
    competition: { registration: { mode: "open", maxPlayers: 1 } },
    path: "/register",
    shows: heading("Registration is full"),
  },
  {
    name: "register-later",
    as: "visitor",
    competition: { registration: { mode: "open", opensAt: "2099-01-01T00:00:00Z" } },
    path: "/register",
    shows: "Registration is not open yet",
  },
];

const challengeList: State[] = [
  {
    name: "challenges-loading",
    answers: [unanswered("**/api/challenges")],
    path: "/challenges",
    shows: (page) => page.locator(".skeleton-card"),
  },
  {
    name: "challenges-empty",
    answers: [changed("**/api/challenges", "Berg has samples.", () => [])],
    path: "/challenges",
    shows: "No challenges yet",
  },
  { name: "challenges", path: "/challenges", shows: "7 challenges" },
  { name: "challenges-visitor", as: "visitor", path: "/challenges", shows: "7 challenges" },
  { name: "challenges-filtered", path: "/challenges?category=misc", shows: "3 of 7 challenges" },
  { name: "challenges-no-match", path: "/challenges?q=no+such+thing", shows: "No challenge matches" },
  // The instance bar on a page of another kind is in "organiser-page".
  { name: "challenges-with-instance", instance: "notes", path: "/challenges", shows: "running" },
];

const competition: State[] = [
  {
    name: "competition-not-started",
    competition: { start: "2099-01-01T00:00:00Z" },
    path: "/challenges",
    shows: "The competition starts in",
  },
  {
    name: "competition-paused",
    competition: { pause: { start: "2026-01-02T00:00:00Z", end: "2099-01-01T00:00:00Z" } },
    path: "/challenges",
    shows: "The competition is paused.",
  },
  {
    name: "challenge-paused",
    competition: { pause: { start: "2026-01-02T00:00:00Z" } },
    path: "/challenges/notes",
    shows: "The organisers have not said when it goes on.",
  },
  {
    name: "competition-over",
    competition: { end: "2026-01-02T00:00:00Z" },
    path: "/challenges",
    shows: "The competition is over.",
  },
  {
    name: "challenge-over",
    competition: { end: "2026-01-02T00:00:00Z" },
    path: "/challenges/notes",
    shows: "No more instances can be started.",
  },
  {
    name: "competition-practice",
    competition: { end: "2026-01-02T00:00:00Z", afterEnd: "practice" },
    path: "/challenges",
    shows: "You can go on practising.",
  },
  {
    name: "players-only",
    as: "visitor",
    competition: { visibility: { challenges: "players" } },
    path: "/challenges",
    shows: heading("Sign in"),
  },
];

const challenge: State[] = [
  {
    name: "challenge-loading",
    answers: [unanswered("**/api/challenges/notes"), unanswered("**/api/challenges")],
    path: "/challenges/notes",
    shows: (page) => page.locator(".skeleton-panel"),
  },
  { name: "challenge", path: "/challenges/jail", shows: button("Start instance") },
  { name: "challenge-visitor", as: "visitor", path: "/challenges/notes", shows: "Sign in to start yours" },
  { name: "challenge-shared", path: "/challenges/archive", shows: "All players share this service." },
  { name: "challenge-bare", path: "/challenges/bare", shows: "This challenge has no description." },
  { name: "challenge-not-found", path: "/challenges/nothing", shows: "No such challenge" },
  {
    name: "challenge-starting",
    instance: "notes",
    answers: [asInstance(starting), noTimeline],
    path: "/challenges/notes",
    shows: "Creating the containers",
  },
  {
    name: "challenge-starting-timeline",
    instance: "notes",
    answers: [
      asInstance(starting),
      changed<{ instanceId: string }>(timeline, tooShort, (body) => ({
        ...body,
        stages: ["requested", "accepted", "namespace", "scheduled", "image-pulled", "ready"].map((stage, index) => ({
          stage,
          at: index < 4 ? inMinutes(-0.2 + index * 0.04) : null,
        })),
      })),
    ],
    path: "/challenges/notes",
    shows: "Loading the image",
  },
  {
    name: "challenge-waiting",
    instance: "notes",
    answers: [
      asInstance((now) => ({
        ...starting(now),
        phase: "Pending",
        reason: "CapacityReached",
        message: "All places for instances are taken. Yours starts as soon as one is free.",
        stages: stagesAt([14], now),
      })),
      noTimeline,
    ],
    path: "/challenges/notes",
    shows: "All places for instances are taken.",
  },
  { name: "challenge-running", instance: "notes", path: "/challenges/notes", shows: button("Extend") },
  { name: "challenge-running-several", instance: "vault", path: "/challenges/vault", shows: button("Extend") },
  {
    name: "challenge-running-unwell",
    instance: "notes",
    answers: [
      asInstance(() => ({ reason: "ContainerCrashes", message: "A container has crashed 3 times and is restarted." })),
    ],
    path: "/challenges/notes",
    shows: "A container has crashed 3 times",
  },
  {
    name: "challenge-running-no-renewals",
    instance: "notes",
    answers: [asInstance(() => ({ renewalsLeft: 0 }), "Extending it three times takes long.")],
    path: "/challenges/notes",
    shows: "It cannot be extended",
  },
  {
    name: "challenge-restart-dialog",
    instance: "notes",
    path: "/challenges/notes",
    act: click("Restart"),
    shows: "Restart Notes?",
  },
  {
    name: "challenge-stop-dialog",
    instance: "notes",
    path: "/challenges/notes",
    act: click("Stop"),
    shows: "Stop Notes?",
  },
  {
    name: "challenge-ending",
    instance: "notes",
    answers: [asInstance(ending(272), tooLong)],
    path: "/challenges/notes",
    shows: "It stops soon",
  },
  {
    name: "challenge-time-up",
    instance: "notes",
    answers: [asInstance(ending(-1), tooLong)],
    path: "/challenges/notes",
    shows: "Time is up",
  },
  {
    name: "challenge-restarting",
    instance: "notes",
    answers: [asInstance((now) => ({ ...starting(now), stages: stagesAt([14, 13, 11, 9, null], now) })), noTimeline],
    path: "/challenges/notes",
    shows: "Waiting until it answers",
  },
  {
    name: "challenge-stopping",
    instance: "notes",
    answers: [asInstance(() => ({ status: 3, phase: "Terminating", services: [] }))],
    path: "/challenges/notes",
    shows: "It is being stopped.",
  },
  { name: "challenge-other-running", instance: "notes", path: "/challenges/vault", shows: "Notes is still running." },
  { name: "challenge-failed", instance: "broken", path: "/challenges/broken", shows: "What to try" },
  { name: "challenge-other-failed", instance: "broken", path: "/challenges/notes", shows: "Broken has failed." },
];

const organiser: State[] = [
  { name: "organiser-page", instance: "notes", path: "/rules", shows: "Play fair" },
  { name: "not-found", path: "/nothing/here", shows: "Page not found" },
];

const profile: State[] = [
  { name: "profile-signed-out", as: "visitor", path: "/profile", shows: "You are not signed in" },
  {
    name: "profile-incomplete",
    competition: { playerAttributes },
    path: "/profile",
    shows: "Your profile is incomplete",
  },
  {
    name: "profile-saved",
    competition: { playerAttributes },
    path: "/profile",
    act: steps((page) => page.getByLabel("Country").selectOption("CH"), click("Save changes")),
    shows: "Saved.",
  },
  { name: "profile", path: "/profile", shows: "This browser" },
  {
    name: "profile-sessions",
    // A second browser of the same player.
    path: async (stage) => {
      const { id } = await stage.player.player();
      await stage.newSession(id);
      return "/profile";
    },
    act: (page) => button("Sign out everywhere else")(page).scrollIntoViewIfNeeded(),
    shows: button("Sign out everywhere else"),
  },
  { name: "profile-new-key", path: "/profile", act: click("Create API key"), shows: "Your new API key" },
  { name: "profile-replace-key", path: "/profile", act: click("Replace API key"), shows: "Replace your API key?" },
  { name: "profile-delete", path: "/profile", act: click("Delete account"), shows: "Delete your account?" },
];

const details = (page: Page) => page.getByRole("button", { name: "Details of Notes of Player" }).click();

const logText = Array.from({ length: 40 }, (_, index) => {
  const note = index % 7 === 3 ? `../../etc/passwd?${"x".repeat(120)}` : `note-${index}.txt`;
  return `2026-01-03T14:${String(index).padStart(2, "0")}:07Z GET /notes/${note} 200`;
}).join("\n");

const admin: State[] = [
  { name: "admin-denied", path: "/admin/instances", shows: "For organisers only" },
  { name: "admin-empty", as: "admin", path: "/admin/instances", shows: "No instances" },
  {
    name: "admin-loading",
    as: "admin",
    answers: [unanswered("**/api/admin/instances?*")],
    path: "/admin/instances",
    shows: (page) => page.locator(".skeleton-row"),
  },
  {
    name: "admin-instances",
    as: "admin",
    instance: "notes",
    answers: [
      changed<AdminInstances>(
        "**/api/admin/instances?*",
        "A crowd takes long to start.",
        ({ items: [first], ...rest }) => {
          const items = first ? crowd(first) : [];
          return { ...rest, items, total: 120 };
        },
      ),
    ],
    path: "/admin/instances",
    shows: "120 instances",
  },
  {
    name: "admin-ended",
    as: "admin",
    instance: "notes",
    path: async (stage) => {
      await stage.setInstance("");
      return "/admin/instances?state=all";
    },
    shows: /^ended/,
  },
  {
    name: "admin-no-match",
    as: "admin",
    instance: "notes",
    path: "/admin/instances?phase=Failed",
    shows: "No instance matches",
  },
  {
    name: "admin-details",
    as: "admin",
    instance: "notes",
    answers: [
      changed("**/logs", "Simulated pods write no logs.", () => [
        { pod: "notes-7696fbb75f-khchg", container: "notes", text: logText, isTruncated: true },
      ]),
    ],
    path: "/admin/instances",
    act: steps(details, (page) => page.locator(".log").scrollIntoViewIfNeeded()),
    shows: (page) => page.locator(".log"),
  },
  {
    name: "admin-details-no-logs",
    as: "admin",
    instance: "notes",
    path: "/admin/instances",
    act: details,
    shows: "There are no logs",
  },
  {
    name: "admin-details-extended",
    as: "admin",
    instance: "notes",
    path: "/admin/instances",
    act: steps(details, click("Extend")),
    shows: "Extended by 30 minutes.",
  },
  {
    name: "admin-stop-dialog",
    as: "admin",
    instance: "notes",
    path: "/admin/instances",
    act: steps(details, click("Stop instance")),
    shows: "Stop Notes of Player?",
  },
  {
    name: "admin-details-failed",
    as: "admin",
    instance: "broken",
    path: "/admin/instances",
    act: (page) => page.getByRole("button", { name: "Details of Broken of Player" }).click(),
    shows: "Failed:",
  },
];

const stillAnswering = "All other tests need the server.";

const outages: State[] = [
  {
    name: "offline",
    path: "/challenges/notes",
    act: steps(
      (page) => button("Start instance")(page).waitFor(),
      (page) => page.context().setOffline(true),
      click("Start instance"),
    ),
    shows: "Berg cannot be reached. Trying again…",
  },
  {
    name: "unreachable",
    answers: [{ path: anyRequest, why: stillAnswering, respond: (route) => route.abort("connectionrefused") }],
    path: "/challenges",
    shows: heading("Berg cannot be reached"),
  },
  {
    name: "api-restarting",
    answers: [outage(anyRequest, "shutting_down", stillAnswering)],
    path: "/challenges",
    shows: "Berg is restarting. This page continues by itself.",
  },
  {
    name: "database-away",
    answers: [outage(anyRequest, "database_unavailable", stillAnswering)],
    path: "/challenges/notes",
    shows: "Berg cannot reach its database. This page continues by itself.",
  },
  {
    name: "kubernetes-away",
    answers: [
      {
        ...outage(current, "kubernetes_unavailable", "The control plane of berg up lives in the same process."),
        respond: (route) =>
          route.request().method() === "POST"
            ? outage(current, "kubernetes_unavailable", "").respond(route)
            : route.fallback(),
      },
    ],
    path: "/challenges/notes",
    act: click("Start instance"),
    shows: "Instances cannot be started or stopped right now.",
  },
  {
    name: "outdated",
    answers: [
      {
        path: /\/assets\/profile-page-.*\.js/,
        why: "Nothing is updated while the tests run.",
        respond: (route) => route.fulfill({ status: 404 }),
      },
    ],
    path: "/profile",
    shows: "This page could not be loaded",
  },
  {
    name: "crashed",
    answers: [changed("**/api/challenges", "The server answers with what the page expects.", () => [{}])],
    path: "/challenges",
    shows: "This page has crashed",
  },
];

/** Those with the same competition beside each other, as each change of it takes a moment. */
export const states: State[] = [
  ...challengeList,
  ...challenge,
  ...organiser,
  ...admin,
  ...outages,
  ...profile,
  ...signIn,
  ...registration,
  ...competition,
];

/** Instances in all phases, as a large event has them. */
function crowd(first: AdminInstances["items"][number]): AdminInstances["items"] {
  const owners = ["Gwen", "Olaf", "A team with a name that is longer than most", "Ulla", "Zoë", "xX_h4cker_Xx"];
  const phases = ["Running", "Running", "Starting", "Failed", "Terminating", "Pending"];
  return owners.map((ownerName, index) => ({
    ...first,
    id: first.id?.replace(/.$/, String(index)) ?? null,
    ownerName,
    name: ["notes", "vault", "archive", "broken", "jail", "notes"][index] ?? "notes",
    phase: phases[index] ?? "Running",
    status: [2, 2, 1, 0, 3, 1][index] ?? 2,
    reason: index === 3 ? "ChallengeInvalid" : index === 5 ? "CapacityReached" : null,
    timeout: inMinutes(index === 1 ? 4 : 25 + index * 11),
    startedAt: inMinutes(index === 1 ? -100 : -index * 3),
  }));
}
