/** What players do on the pages, in a real browser on `berg up` with simulated pods. Their looks: pages-states.ts. */
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Stage } from "./pages-stage.ts";

let stage: Stage;
let context: BrowserContext;
let page: Page;
/** A page with an instance that lives for a minute only: it is opened first, so that other tests run meanwhile. */
let brief: Promise<Page>;

beforeAll(async () => {
  stage = await Stage.start();
  brief = openBriefInstance();
  brief.catch(() => {});
  context = await stage.open();
  page = await context.newPage();
});
afterAll(() => stage?.[Symbol.asyncDispose]());

const button = (name: string | RegExp, on = page) => on.getByRole("button", { name, exact: true });
const visible = (text: string | RegExp, on = page) => on.getByText(text).first().waitFor();
const outage = /Reconnecting|cannot be reached|is restarting/;
const patient = { timeout: 120_000 };

async function openBriefInstance(): Promise<Page> {
  const { player } = await stage.newAccount("Brief");
  const session = await stage.newSession(player.id);
  const { status, text } = await session.start("brief");
  if (status !== 200) throw new Error(text);
  const opened = await (await stage.open(session)).newPage();
  await opened.goto(`${stage.site.publicUrl}/challenges/brief`);
  return opened;
}

describe("a player", () => {
  test("opens the printed link, which asks before it signs in", async () => {
    const { link } = await stage.newAccount("Gwen");
    await page.goto(link);
    await page.getByRole("heading", { name: "Sign in as Gwen" }).waitFor();
    // The token is not kept in the history.
    expect(page.url()).toBe(`${stage.site.publicUrl}/sign-in`);
    expect(await context.cookies()).toEqual([]);
    await button("Sign in as Gwen").click();
    await page.waitForURL("**/challenges");
    expect(await context.cookies()).toEqual([expect.objectContaining({ name: "berg", httpOnly: true })]);
  });

  test("finds a challenge by searching, and keeps the search on the way back", async () => {
    await page.getByRole("searchbox").fill("not");
    await page.getByRole("link", { name: /Notes/ }).click();
    await page.getByRole("heading", { name: "Notes", level: 1 }).waitFor();
    await page.goBack();
    expect(await page.getByRole("searchbox").inputValue()).toBe("not");
    await page.goForward();
  });

  test("starts it, extends it, restarts it and stops it, in two tabs", async () => {
    const other = await context.newPage();
    await other.goto(`${stage.site.publicUrl}/rules`);
    await button("Start instance").click();
    const address = page.getByRole("link", { name: /^http:\/\/[0-9a-f]+\.localhost:\d+\/?/ });
    const href = await address.getAttribute("href");
    // The other tab shows it without a reload, on a page that is not about it.
    await other.getByRole("complementary", { name: "Your instance" }).getByText("running").waitFor();
    await visible("You can extend it 3 times.");
    await button("Extend").click();
    await visible("You can extend it 2 times.");
    await button("Restart").click();
    await button("Restart instance").click();
    await button("Extend").waitFor();
    expect(await address.getAttribute("href")).toBe(href);
    await button("Stop").click();
    await visible("Stop Notes?");
    await button("Stop instance").click();
    await button("Start instance").waitFor();
    await expect.poll(() => other.getByRole("complementary", { name: "Your instance" }).count()).toBe(0);
    await other.close();
  });

  test("reads in plain words why an instance failed, and starts another one", async () => {
    await page.getByRole("link", { name: "Challenges" }).first().click();
    await page.getByRole("link", { name: /Broken/ }).click();
    await button("Start instance").click();
    await visible("What to try");
    await visible("Reason: ChallengeInvalid");
    await page.getByRole("link", { name: "Challenges" }).first().click();
    await page.getByRole("link", { name: /Vault/ }).click();
    // Nothing is lost with a failed one, so that it is replaced without a question.
    await visible("Broken has failed.");
    await button("Start instance").click();
    await button("Extend").waitFor();
  });

  test("reads that the network is away, and goes on when it is back", async () => {
    await context.setOffline(true);
    await button("Extend").click();
    await page.getByRole("alert").getByText("Berg cannot be reached").waitFor();
    await visible("Berg cannot be reached. Trying again…");
    await context.setOffline(false);
    await expect.poll(() => page.getByText("Trying again…").count()).toBe(0);
    await button("Extend").click();
    await visible("You can extend it 2 times.");
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  test("does all of it with the keyboard, from the link to the end of the instance", async () => {
    const { link } = await stage.newAccount("Keys");
    const own = await stage.open();
    const keys = await own.newPage();
    const focused = () =>
      keys.evaluate<string>("document.activeElement.ariaLabel ?? document.activeElement.textContent");
    const tabTo = async (name: RegExp) => {
      for (let presses = 0; presses < 40; presses++) {
        if (name.test(await focused())) return;
        await keys.keyboard.press("Tab");
      }
      throw new Error(`no element ${name} can be reached with Tab`);
    };
    const pressOn = async (name: RegExp) => {
      await tabTo(name);
      await keys.keyboard.press("Enter");
    };
    await keys.goto(link);
    await button("Sign in as Keys", keys).waitFor();
    await pressOn(/^Sign in as Keys/);
    await keys.getByRole("link", { name: /Notes/ }).waitFor();
    // The first press of Tab leads past the header.
    await keys.reload();
    await keys.getByRole("link", { name: /Notes/ }).waitFor();
    await keys.keyboard.press("Tab");
    expect(await focused()).toBe("Skip to content");
    await keys.keyboard.press("Enter");
    await pressOn(/^Notes/);
    await button("Start instance", keys).waitFor();
    await pressOn(/^Start instance/);
    await button("Extend", keys).waitFor();
    // The button is gone, and the focus did not leave the panel.
    expect(await focused()).toBe("Your instance");
    await pressOn(/^Copy http/);
    await pressOn(/^Extend/);
    await visible("You can extend it 2 times.", keys);
    await pressOn(/^Stop/);
    await visible("Stop Notes?", keys);
    await keys.keyboard.press("Escape");
    // Removed, not only closed: until then a button does not open it again.
    await keys.locator("dialog").waitFor({ state: "detached" });
    expect(await focused()).toMatch(/^Stop/);
    await keys.keyboard.press("Enter");
    await visible("Stop Notes?", keys);
    await pressOn(/^Stop instance/);
    await button("Start instance", keys).waitFor();
    await own.close();
  });

  test("is warned before an instance ends, and extends it", async () => {
    const opened = await brief;
    await opened.getByText("It stops soon").waitFor(patient);
    await button("Extend", opened).click();
    await opened.getByText("It stops soon").waitFor({ state: "detached" });
    await visible("You can extend it 2 times.", opened);
    await opened.context().close();
  });

  test("goes on after Berg was killed and started again, without a reload and still signed in", async () => {
    const cookies = await context.cookies();
    await page.evaluate("window.isTheSamePage = true");
    await stage.site.end("SIGKILL");
    await page.getByText(outage).first().waitFor(patient);
    await stage.site.up();
    await expect.poll(() => page.getByText(outage).count(), patient).toBe(0);
    await button("Extend").click();
    await visible("You can extend it once.");
    expect(await page.evaluate("window.isTheSamePage")).toBe(true);
    expect(await context.cookies()).toEqual(cookies);
  });

  test("signs out, and sees what everybody sees", async () => {
    await button("Sign out").click();
    await page.getByRole("link", { name: "Sign in" }).first().waitFor();
    await page.goto(`${stage.site.publicUrl}/challenges/notes`);
    await visible("Sign in to start yours");
  });

  test("saw no page throw an error", () => expect(stage.pageErrors).toEqual([]));
});
