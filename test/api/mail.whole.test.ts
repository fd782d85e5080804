/**
 * Lost sign-in links by mail, in a real browser on `berg up` with a real SMTP server: registration with an address, the
 * mail, the sign-in with its link; and a process that is killed while it sends.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import AxeBuilder from "@axe-core/playwright";
import type { SignInOptions } from "@berg/api/wire";
import { Competitions } from "@berg/resources";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestSmtpServer } from "../../packages/api/src/testing/smtp-server.ts";
import { type Browser, openBrowser } from "../one-machine/browser.ts";
import { eventually } from "../runtime/eventually.ts";
import { Site } from "./site.ts";

const pictures = join(import.meta.dirname, "screenshots");
const desktop = { width: 1200, height: 800 };
const phone = { width: 390, height: 844 };
const email = "gwen@example.com";

let smtp: TestSmtpServer;
let site: Site;
let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  await mkdir(pictures, { recursive: true });
  smtp = await TestSmtpServer.start();
  const env = { SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: "CTF <noreply@ctf.example.com>" };
  [site, browser] = await Promise.all([Site.start(env), openBrowser()]);
  await using client = await site.client().then((one) => ({ one, [Symbol.asyncDispose]: () => one.close() }));
  const body = { spec: { registration: { mode: "open" } } };
  await client.one.patch(Competitions, "berg", "competition", { type: "merge", body }, { fieldManager: "test" });
  await eventually("registration is open", async () => {
    return (await site.call<SignInOptions>("/api/sign-in")).body.registration.isOpen;
  });
  context = await browser.newContext({ viewport: desktop });
  page = await context.newPage();
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await site?.[Symbol.asyncDispose]();
  await smtp?.[Symbol.asyncDispose]();
});

/** No violation of WCAG that axe finds, in light and dark; and a picture of each. */
async function look(state: string): Promise<void> {
  // Pictures and checks are of the page at rest, without a button under the mouse.
  await page.mouse.move(0, 0);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    await page.screenshot({ path: join(pictures, `${state}-${colorScheme}.png`), fullPage: true });
  }
  await page.setViewportSize(phone);
  const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
  expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
  await page.screenshot({ path: join(pictures, `${state}-phone.png`), fullPage: true });
  await page.setViewportSize(desktop);
}

const button = (name: string) => page.getByRole("button", { name });

test("a player registers with an address, and changes it", async () => {
  await page.goto(`${site.publicUrl}/register`);
  await page.getByLabel("Name").fill("Gwen");
  await page.getByLabel("E-mail").fill("gwen at example");
  await look("registration-mail");
  await button("Register").click();
  await page.getByText("must be an e-mail address").waitFor();
  await page.getByLabel("E-mail").fill("other@example.com");
  await button("Register").click();
  await page.getByRole("heading", { name: "Welcome, Gwen" }).waitFor();
  await page.goto(`${site.publicUrl}/profile`);
  const section = page.getByRole("region", { name: "E-mail address" });
  expect(await section.getByLabel("E-mail").inputValue()).toBe("other@example.com");
  await section.getByLabel("E-mail").fill(email);
  await section.getByRole("button", { name: "Save changes" }).click();
  await section.getByText("Saved.").waitFor();
  await page.getByText(/Since .* from 127\.0\.0\.1/).waitFor();
  await look("profile-mail");
});

test("and signs in with the link of the mail after losing the own one", async () => {
  await context.clearCookies();
  await page.goto(`${site.publicUrl}/sign-in`);
  await page.getByText("Lost your link?").click();
  await button("Send me a link").click();
  await page.getByText("Please fill this in.").waitFor();
  await page.getByLabel("E-mail").fill("GWEN@example.com");
  await button("Send me a link").click();
  await page.getByText("a mail is on its way").waitFor();
  await look("lost-link");
  await expect.poll(() => smtp.links).toHaveLength(1);
  expect(smtp.received).toMatchObject([{ to: [email] }]);
  await page.goto(smtp.links[0] ?? "");
  await button("Sign in as Gwen").click();
  await page.waitForURL("**/challenges");
  await page.goto(`${site.publicUrl}/profile`);
  await page
    .getByText(/Since .* from 127\.0\.0\.1/)
    .first()
    .waitFor();
  expect(site.output).not.toContain(email);
  expect(site.output).not.toContain(smtp.links[0]);
});

test("a process that is killed while it sends leaves the mail to the next one", async () => {
  const held = Promise.withResolvers<void>();
  smtp.hold = held.promise;
  const before = smtp.connections;
  const asked = await site.call("/api/sign-in/lost", { method: "POST", body: { email } });
  expect(asked.status).toBe(202);
  await expect.poll(() => smtp.connections).toBe(before + 1);
  await site.end("SIGKILL");
  smtp.hold = undefined;
  held.resolve();
  {
    using database = new DatabaseSync(join(site.directory, "api.db"));
    expect(database.prepare("select attempts, failed_at from outbox").all()).toEqual([
      { attempts: 1, failed_at: null },
    ]);
    // In place of the five minutes after which the claim ends.
    database.exec("update outbox set due_at = 0");
  }
  await site.up();
  await expect.poll(() => smtp.received.length).toBe(2);
  const { body } = await site.call<{ name: string }>("/api/sign-in/preview", {
    method: "POST",
    body: { token: smtp.links[1]?.split("#")[1] },
  });
  expect(body.name).toBe("Gwen");
});
