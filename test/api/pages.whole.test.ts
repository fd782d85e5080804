/**
 * The pages in a real browser on `berg up` with simulated pods: the path of a player from the printed link to a running
 * instance and back. Each state is checked by axe and kept as pictures (light, dark, phone) in test/api/screenshots.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import { Challenges } from "@berg/resources";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, openBrowser } from "../one-machine/browser.ts";
import { Site } from "./site.ts";

const pictures = join(import.meta.dirname, "screenshots");
const desktop = { width: 1200, height: 800 };
const phone = { width: 390, height: 844 };

let site: Site;
let browser: Browser;
let context: BrowserContext;
let page: Page;
const errors: string[] = [];

beforeAll(async () => {
  await mkdir(pictures, { recursive: true });
  [site, browser] = await Promise.all([Site.start(), openBrowser()]);
  context = await browser.newContext({ viewport: desktop });
  page = await context.newPage();
  page.on("pageerror", (error) => errors.push(error.message));
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await site?.[Symbol.asyncDispose]();
});

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

const button = (name: string | RegExp) => page.getByRole("button", { name });
const visible = (text: string | RegExp) => page.getByText(text).first().waitFor();

describe("a player", () => {
  test("opens the printed link, which asks before it signs in", async () => {
    await page.goto(site.link("player"));
    await page.getByRole("heading", { name: "Sign in as Player" }).waitFor();
    // The token is not kept in the history.
    expect(page.url()).toBe(`${site.publicUrl}/sign-in`);
    expect(await context.cookies()).toEqual([]);
    await look("sign-in");
    await button("Sign in as Player").click();
    await page.waitForURL("**/challenges");
    await page.getByRole("heading", { name: "Challenges", level: 1 }).waitFor();
    expect(await context.cookies()).toEqual([expect.objectContaining({ name: "berg", httpOnly: true })]);
  });

  test("finds a challenge by searching", async () => {
    await page.getByRole("link", { name: /Notes/ }).waitFor();
    await look("challenges");
    await page.getByRole("searchbox").fill("no such thing");
    await visible("No challenge matches");
    await look("challenges-no-match");
    await page.getByRole("searchbox").fill("not");
    await page.getByRole("link", { name: /Notes/ }).click();
    await page.getByRole("heading", { name: "Notes", level: 1 }).waitFor();
    await look("challenge");
  });

  test("starts it, sees it run, extends it and stops it, in two tabs", async () => {
    const other = await context.newPage();
    await other.goto(`${site.publicUrl}/challenges`);
    await button("Start instance").click();
    await page.getByRole("link", { name: /^http:\/\/[0-9a-f]+\.localhost:\d+\/?/ }).waitFor();
    await look("running");
    await visible("You can extend it 3 times.");
    await button("Extend").click();
    await visible("You can extend it 2 times.");
    // The other tab heard of it without a reload.
    await other.getByText("running").first().waitFor();
    await other.close();
    await button("Stop").click();
    await visible("Stop Notes?");
    await look("stop-dialog");
    await button("Stop instance").click();
    await button("Start instance").waitFor();
  });

  test("reads in plain words why an instance failed, and starts another one", async () => {
    await using client = await site.client().then((one) => ({ one, [Symbol.asyncDispose]: () => one.close() }));
    const spec = {
      displayName: "Broken",
      categories: ["misc"],
      containers: [{ hostname: "web", image: "web:1", additionalCapabilities: ["SYS_ADMIN"] }],
    };
    await client.one.create(Challenges, { metadata: { namespace: "berg", name: "broken" }, spec } as never);
    await page.getByRole("link", { name: "Challenges" }).first().click();
    await page.getByRole("link", { name: /Broken/ }).click();
    await button("Start instance").click();
    await visible("What to try");
    await look("failed");
    await page.getByRole("link", { name: "Challenges" }).first().click();
    await page.getByRole("link", { name: /Vault/ }).click();
    await button(/start this one|Start instance/i).click();
    await button("Extend").waitFor();
  });

  test("goes on after Berg was killed and started again, without a reload", async () => {
    await site.end("SIGKILL");
    await visible(/Reconnecting|cannot be reached/);
    await look("reconnecting");
    await site.up();
    await expect.poll(() => page.getByText(/Reconnecting|cannot be reached/).count(), { timeout: 60_000 }).toBe(0);
    await button("Extend").waitFor();
  });

  test("does all of it with the keyboard", async () => {
    await button("Stop").focus();
    await page.keyboard.press("Enter");
    await visible("Stop Vault?");
    await page.keyboard.press("Escape");
    // Removed, not only closed: until then a button does not open it again.
    await page.locator("dialog").waitFor({ state: "detached" });
    // The focus is back where it was.
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Stop");
    await page.keyboard.press("Enter");
    await button("Stop instance").focus();
    await page.keyboard.press("Enter");
    await button("Start instance").waitFor();
  });

  test("signs out, and sees what everybody sees", async () => {
    await button("Sign out").click();
    await page.getByRole("link", { name: "Sign in" }).first().waitFor();
    await page.goto(`${site.publicUrl}/challenges/notes`);
    await visible("Sign in to start yours");
    await look("signed-out");
    await page.goto(`${site.publicUrl}/nothing/here`);
    await visible("Page not found");
    await look("not-found");
  });

  test("saw no page break", () => expect(errors).toEqual([]));
});
