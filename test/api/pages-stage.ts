/** `berg up` with simulated pods and a browser, and what brings both into a state of the table (pages-states.ts). */
import type { CreatedPlayer, Instance, Metadata, SignInLink } from "@berg/api/wire";
import { type Client, Secrets } from "@berg/kube";
import { Challenges, Competitions, Pages } from "@berg/resources";
import type { BrowserContext, Page } from "playwright-core";
import { type Browser, openBrowser } from "../one-machine/browser.ts";
import { eventually } from "../runtime/eventually.ts";
import { challenges, defaultCompetition, pages, registrationCode } from "./pages-objects.ts";
import type { State } from "./pages-states.ts";
import { SignedIn, Site } from "./site.ts";

export const desktop = { width: 1200, height: 800 };

export class Stage implements AsyncDisposable {
  readonly site: Site;
  readonly browser: Browser;
  readonly client: Client;
  readonly player: SignedIn;
  readonly admin: SignedIn;
  /** Errors that the pages threw and did not catch. */
  readonly pageErrors: string[] = [];
  #competition = "";
  #competitions = 0;

  private constructor(site: Site, browser: Browser, client: Client, player: SignedIn, admin: SignedIn) {
    this.site = site;
    this.browser = browser;
    this.client = client;
    this.player = player;
    this.admin = admin;
  }

  static async start(): Promise<Stage> {
    const [site, browser] = await Promise.all([Site.start(), openBrowser()]);
    const client = await site.client();
    const stage = new Stage(site, browser, client, await site.signIn("player"), await site.signIn("admin"));
    const metadata = (name: string) => ({ namespace: "berg", name });
    const create = (type: unknown, object: object) => client.create(type as typeof Challenges, object as never);
    for (const [name, spec] of Object.entries(challenges)) await create(Challenges, { metadata: metadata(name), spec });
    for (const [name, spec] of Object.entries(pages)) await create(Pages, { metadata: metadata(name), spec });
    const stringData = { code: registrationCode };
    await create(Secrets, { metadata: metadata("registration-code"), stringData });
    return stage;
  }

  /** A browser profile, signed in as that player or not at all. */
  async open(as?: SignedIn): Promise<BrowserContext> {
    const context = await this.browser.newContext({ viewport: desktop, reducedMotion: "reduce" });
    const [name = "", value = ""] = as?.cookie.split("=") ?? [];
    if (as) await context.addCookies([{ name, value, url: this.site.publicUrl, httpOnly: true }]);
    context.on("page", (page) => page.on("pageerror", ({ message }) => this.pageErrors.push(message)));
    return context;
  }

  /** Opens a page in that state. The caller closes its context. */
  async show(state: State): Promise<Page> {
    await this.setCompetition(state.competition ?? {});
    await this.setInstance(state.instance ?? "");
    const { as = "player" } = state;
    const signedIn = as === "visitor" ? undefined : this[as];
    const context = await this.open(signedIn);
    const page = await context.newPage();
    for (const { path, respond } of state.answers ?? []) await page.route(path, respond);
    // Live messages would replace those answers by what is true.
    if (state.answers) await page.routeWebSocket("**/api/events", () => {});
    const path = typeof state.path === "string" ? state.path : await state.path(this);
    await page.goto(new URL(path, this.site.publicUrl).href);
    await state.act?.(page, this);
    const shown = typeof state.shows === "function" ? state.shows(page) : page.getByText(state.shows);
    await shown.first().waitFor();
    return page;
  }

  /** Replaces the rules of the competition, and waits until the API applies them. */
  async setCompetition(changes: object): Promise<void> {
    if (JSON.stringify(changes) === this.#competition) return;
    // The address of the link tells when the API has read this version.
    const url = `https://example.com/rules?version=${++this.#competitions}`;
    const current = await this.client.get(Competitions, "berg", "competition");
    const spec = { ...defaultCompetition, links: [{ title: "Rules", url }], ...changes };
    await this.client.update(Competitions, { ...current, spec } as never);
    await eventually("the API applies the competition", async () => {
      const { body } = await this.admin.call<Metadata>("/api/metadata");
      return body.links.some((link) => link.url === url);
    });
    this.#competition = JSON.stringify(changes);
  }

  /** Starts that challenge for the player, or stops what runs. Waits until the instance runs or has failed. */
  async setInstance(challenge: string): Promise<void> {
    const isSettled = ({ name, status, phase }: Instance) =>
      name === challenge && (challenge === "" || status === 2 || phase === "Failed");
    if (isSettled(await this.player.instance())) return;
    if (challenge === "") await this.player.stop();
    else await this.player.start(challenge, { replace: true });
    await this.player.until(`of "${challenge}" is settled`, isSettled);
  }

  /** Another session of that player. */
  async newSession(playerId: string): Promise<SignedIn> {
    const path = `/api/admin/players/${playerId}/link`;
    const { body } = await this.admin.call<SignInLink>(path, { method: "POST", body: { kind: "one-time" } });
    const token = new URL(body.link).hash.slice(1);
    const { headers } = await this.site.call("/api/sign-in", { method: "POST", body: { token } });
    return new SignedIn(this.site, String(headers["set-cookie"]).split(";")[0] ?? "");
  }

  /** A new account and its personal link. */
  async newAccount(name: string): Promise<CreatedPlayer> {
    const { body } = await this.admin.call<CreatedPlayer>("/api/admin/players", { method: "POST", body: { name } });
    return body;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
    await this.browser[Symbol.asyncDispose]();
    await this.site[Symbol.asyncDispose]();
  }
}
