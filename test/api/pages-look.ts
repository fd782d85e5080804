/** What has to hold for every state of the pages, and its pictures: light, dark and on a phone. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { desktop } from "./pages-stage.ts";

const pictures = join(import.meta.dirname, "screenshots");
const phone = { width: 390, height: 844 };

export function picturePath(state: string, look: "light" | "dark" | "phone"): string {
  return join(pictures, `${state}-${look}.png`);
}

/** No violation of WCAG that axe finds, in light and dark; nothing wider than a phone. */
export async function look(page: Page, state: string): Promise<void> {
  await mkdir(pictures, { recursive: true });
  // Pages are loaded one by one: a notice may be there before the page below it.
  await page.locator("h1").first().waitFor({ state: "attached" });
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    const axe = new AxeBuilder({ page });
    // Nothing but the colours differs from the light page.
    if (colorScheme === "dark") axe.withRules(["color-contrast", "link-in-text-block"]);
    const { violations } = await axe.analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    await page.screenshot({ path: picturePath(state, colorScheme) });
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(phone);
  const overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
  expect(await page.evaluate(overflow), `${state} is wider than a phone`).toBeLessThanOrEqual(0);
  // A modal covers the window, not the page.
  const fullPage = (await page.locator("dialog[open]").count()) === 0;
  await page.screenshot({ path: picturePath(state, "phone"), fullPage });
  await page.setViewportSize(desktop);
}
