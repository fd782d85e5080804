/**
 * Sign-in in a real browser: `berg api` in a process of its own with its built pages, on the embedded control plane, and two
 * real OpenID Connect providers on loopback. What an attacker puts into URLs is also tried without a browser, in
 * packages/api/src/openid. Pictures (light, dark, phone) are in test/api/screenshots.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import { type Client, createClient, kubeconfigFor, Namespaces, unlimited } from "@berg/kube";
import { startLocalControlPlane } from "@berg/local-control-plane";
import { Competitions, customResourceDefinitions } from "@berg/resources";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { installKinds } from "../../packages/cli/src/up/install-kinds.ts";
import { openBrowser } from "../one-machine/browser.ts";
import { clientSecret, IdentityProvider, startFakeOauth } from "../openid/index.ts";
import { eventually } from "../runtime/eventually.ts";

const main = join(import.meta.dirname, "../../packages/cli/src/main.ts");
const pictures = join(import.meta.dirname, "screenshots");
const desktop = { width: 1200, height: 800 };
const phone = { width: 390, height: 844 };

const world = new AsyncDisposableStack();
let directory: string;
let publicUrl: string;
let school: IdentityProvider;
let club: IdentityProvider;
let api: ChildProcess;
let output = "";
let metricsPort = 0;
let healthPort = 0;
let client: Client;
let context: BrowserContext;
let page: Page;
let addresses = 0;

beforeAll(async () => {
  await mkdir(pictures, { recursive: true });
  directory = await mkdtemp(join(tmpdir(), "berg-openid-"));
  world.defer(() => rm(directory, { recursive: true, force: true }));
  const port = await freePort();
  publicUrl = `http://berg.localhost:${port}`;
  school = world.use(await IdentityProvider.start({ publicUrl, name: "school" }));
  club = world.use(await IdentityProvider.start({ publicUrl, name: "club" }));
  const discord = world.use(await startFakeOauth("discord", { clientId: "12345", clientSecret }));
  discord.user = { id: "80351110224678912", username: "nelly", global_name: "Nelly" };
  const browser = world.use(await openBrowser());
  // One profile for all tests: in this build of Chromium, which is one process, a second one has no cookies.
  context = await browser.newContext({ viewport: desktop });
  page = await context.newPage();
  const secretFile = join(directory, "secret");
  await writeFile(secretFile, `${clientSecret}\n`);
  await startBerg(port, await startCluster(), {
    OIDC_PROVIDERS: "school,club,discord",
    ...school.environment({
      ...{ TITLE: "Example School", SCOPES: "openid profile groups" },
      ...{ ROLE_CLAIM: "groups", ROLE_ADMIN: "staff", CLIENT_SECRET: "", CLIENT_SECRET_FILE: secretFile },
    }),
    ...club.environment({ TITLE: "Hacking Club" }),
    OIDC_DISCORD_TYPE: "discord",
    OIDC_DISCORD_ISSUER: discord.issuer,
    OIDC_DISCORD_CLIENT_ID: "12345",
    OIDC_DISCORD_CLIENT_SECRET: clientSecret,
  });
});
afterAll(() => world.disposeAsync());

beforeEach(async () => {
  school.tamper = undefined;
  school.accounts.set("ada", { name: "Ada" });
  await page.goto("about:blank");
  await forget();
});

/** As another browser at another address: the limit on sign-ins is not what these tests are about. */
async function forget(): Promise<void> {
  await context.clearCookies();
  await context.setExtraHTTPHeaders({ "x-forwarded-for": `192.0.2.${++addresses}` });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** Returns the kubeconfig. */
async function startCluster(): Promise<string> {
  const controlPlane = await startLocalControlPlane({ dataDir: ":memory:" });
  world.defer(() => controlPlane.stop());
  const { connection } = controlPlane.apiServer;
  client = createClient({ connection, rate: unlimited });
  world.defer(() => client.close());
  await installKinds(client, customResourceDefinitions(), new AbortController().signal);
  await client.create(Namespaces, { metadata: { name: "berg" } });
  const spec = { title: "Example CTF", organiser: "Example", registration: { mode: "open" } };
  await client.create(Competitions, { metadata: { namespace: "berg", name: "competition" }, spec } as never);
  const { ca } = await connection.tls();
  const token = (await connection.authorization())?.replace("Bearer ", "") ?? "none";
  const file = join(directory, "kubeconfig");
  await writeFile(file, kubeconfigFor({ name: "test", server: connection.server, token, ca } as never));
  return file;
}

async function startBerg(port: number, kubeconfig: string, env: Record<string, string>): Promise<void> {
  api = spawn(process.execPath, [main, "api", "--data-dir", join(directory, "data")], {
    env: {
      ...{
        TRUSTED_PROXIES: "127.0.0.1",
        HOME: process.env.HOME,
        PATH: process.env.PATH,
        LOG_LEVEL: "debug",
        KUBECONFIG: kubeconfig,
      },
      ...{ PUBLIC_URL: publicUrl, API_HOST: "127.0.0.1", API_PORT: String(port), HEALTH_PORT: "0", METRICS_PORT: "0" },
      ...env,
    },
  });
  world.defer(() => void api.kill("SIGKILL"));
  for (const stream of [api.stdout, api.stderr]) stream?.on("data", (text) => (output += text));
  await eventually("it serves", () => {
    if (api.exitCode !== null) throw new Error(`berg api ended: ${output}`);
    const line = output.split("\n").find((one) => one.includes('"msg":"serving"'));
    if (line !== undefined) ({ metricsPort, healthPort } = JSON.parse(line));
    return line !== undefined;
  });
  await eventually("it is ready", async () => (await fetch(`http://127.0.0.1:${healthPort}/readyz`)).ok);
}

/** No violation of WCAG that axe finds, in light and dark; and a picture of each. */
async function look(state: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    await page.screenshot({ path: join(pictures, `${state}-${colorScheme}.png`) });
  }
  await page.setViewportSize(phone);
  const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
  expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
  await page.screenshot({ path: join(pictures, `${state}-phone.png`) });
  await page.setViewportSize(desktop);
}

/** The URL of the callback for a sign-in that this browser has begun; it was not visited yet. */
async function answered(): Promise<string> {
  const begun = page.waitForRequest(`${school.issuer}/auth?*`);
  await goToProvider("Example School");
  return school.signIn((await begun).url(), "ada");
}

/** Visits the callback with a URL that somebody has changed. */
async function visitChanged(change: (url: URL) => void): Promise<void> {
  const url = new URL(await answered());
  change(url);
  await page.goto(url.href);
}

/** From the sign-in page to the form of the provider. */
async function goToProvider(title: string): Promise<void> {
  await page.goto(`${publicUrl}/sign-in`);
  await page.getByRole("link", { name: `Sign in with ${title}` }).click();
}

async function signIn(account: string, title = "Example School"): Promise<void> {
  await goToProvider(title);
  await page.getByLabel("Account").fill(account);
  await page.getByRole("button", { name: "Continue" }).click();
}

const isSignedIn = (name: string) =>
  page
    .getByRole("link", { name: new RegExp(name) })
    .first()
    .waitFor();
const reads = (text: string) => page.getByRole("alert").getByText(text).waitFor();
const cookieNames = async () => (await context.cookies(publicUrl)).map(({ name }) => name).sort();
const metric = async (line: string) =>
  expect.poll(async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()).toContain(line);

describe("a player", () => {
  test("signs in with a provider, and out again", async () => {
    await page.goto(`${publicUrl}/sign-in`);
    await page.getByRole("link", { name: "Sign in with Hacking Club" }).waitFor();
    await look("sign-in-providers");
    await signIn("ada");
    await page.waitForURL(`${publicUrl}/challenges`);
    await isSignedIn("Ada");
    const cookies = await context.cookies(publicUrl);
    expect(cookies.map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite]).sort()).toEqual([
      ["berg", true, "Lax"],
      ["berg-sign-in", true, "Lax"],
    ]);
    await page.getByRole("button", { name: "Sign out" }).click();
    // The provider asks whether to end its own session.
    await page.waitForURL(`${school.issuer}/session/end?*`);
    await page.getByRole("button", { name: /yes/i }).click();
    await page.waitForURL(`${publicUrl}/**`);
    await page.getByRole("link", { name: "Sign in" }).first().waitFor();
    expect(await cookieNames()).toEqual(["berg-sign-in"]);
    // Nor is the session at the provider left: it asks for the account again.
    await goToProvider("Example School");
    await page.getByLabel("Account").waitFor();
  });

  test("who has a role in the claim sees the pages of admins; without it, the next sign-in takes them away", async () => {
    school.accounts.set("eve", { name: "Eve", groups: ["staff"] });
    await signIn("eve");
    await isSignedIn("Eve");
    await page.getByRole("link", { name: "Instances" }).waitFor();
    school.accounts.set("eve", { name: "Eve" });
    const before = await context.cookies(publicUrl);
    await forget();
    await signIn("eve");
    await isSignedIn("Eve");
    expect(await page.getByRole("link", { name: "Instances" }).count()).toBe(0);
    // The session of before has ended with its roles.
    await forget();
    await context.addCookies(before);
    await page.goto(`${publicUrl}/challenges`);
    await page.getByRole("link", { name: "Sign in" }).first().waitFor();
  });

  test("signs in with Discord, which is a mock here", async () => {
    await goToProvider("Discord");
    await page.waitForURL(`${publicUrl}/challenges`);
    await isSignedIn("Nelly");
  });

  test("who cancels at the provider is back at the sign-in page", async () => {
    await signIn("");
    await reads("You cancelled the sign-in");
    await look("sign-in-failed");
    expect(await cookieNames()).toEqual(["berg-sign-in"]);
  });
});

describe("is refused, with a page that says so:", () => {
  test.each([
    ["issuer", () => ({ iss: club.issuer })],
    ["audience", () => ({ aud: "someone-else" })],
    ["nonce", () => ({ nonce: "stolen" })],
  ])("an ID token with another %s", async (_, wrong) => {
    school.tamper = (claims) => ({ ...claims, ...wrong() });
    await signIn("ada");
    await reads("The sign-in could not be checked");
    expect(await cookieNames()).toEqual(["berg-sign-in"]);
  });

  test("another state", async () => {
    await visitChanged((url) => url.searchParams.set("state", "x"));
    await reads("This sign-in is no longer valid");
  });

  test("an answer that was used already", async () => {
    const callback = await answered();
    await page.goto(callback);
    await isSignedIn("Ada");
    await page.goto(callback);
    await reads("This sign-in is no longer valid");
  });

  test("the answer of one provider at the callback of another", async () => {
    await visitChanged((url) => {
      url.pathname = url.pathname.replace("school", "club");
    });
    await reads("This sign-in is no longer valid");
  });

  test("an answer that names another provider", async () => {
    await visitChanged((url) => url.searchParams.set("iss", club.issuer));
    await reads("The sign-in could not be checked");
  });

  test("to be sent to another site afterwards", async () => {
    const response = await page.goto(`${publicUrl}/api/sign-in/school?return=https://evil.example/`);
    expect(response?.status()).toBe(400);
    expect(page.url()).toContain(publicUrl);
  });
});

describe("a provider", () => {
  test("that is away is named so, Berg stays ready, and the others work", async () => {
    await metric('berg_api_provider_up{provider="school"} 1');
    const callback = await answered();
    await school.goAway();
    await page.goto(callback);
    await reads("The sign-in service does not answer");
    await goToProvider("Example School");
    await reads("The sign-in service does not answer");
    await metric('berg_api_provider_up{provider="school"} 0');
    const ready = await fetch(`http://127.0.0.1:${healthPort}/readyz?verbose`);
    expect(ready.status).toBe(200);
    expect(await ready.text()).toContain("provider school: does not answer\n");
    await signIn("bob", "Hacking Club");
    await page.waitForURL(`${publicUrl}/challenges`);
    await school.comeBack();
    await forget();
    await signIn("ada");
    await isSignedIn("Ada");
    await metric('berg_api_provider_up{provider="school"} 1');
  });

  test("that rotates its key is trusted at once", async () => {
    school.rotateKey();
    await signIn("ada");
    await isSignedIn("Ada");
  });
});

test("no secret, code or token is in the log", () => {
  expect(output).toContain("a sign-in was refused");
  for (const secret of [clientSecret, "code=", "eyJ", "code_verifier"]) expect(output).not.toContain(secret);
});
