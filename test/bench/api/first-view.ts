/** What the first view of the challenges page loads, and how soon its list is there on a slow line, in a real browser. */
import type { BrowserContext, Page } from "playwright-core";
import { type Browser, openBrowser } from "../../one-machine/browser.ts";
import type { BenchOptions } from "../bench.ts";
import { compare, type Figure, median } from "../figure.ts";
import { Connection } from "./connection.ts";
import { type Site, startSite } from "./site.ts";

/** A slow mobile line, as Lighthouse simulates it. */
const line = { megabitsPerSecond: 1.6, roundTripMs: 150 };
const upMegabitsPerSecond = 0.75;
/** Limits of the goals. */
const mostKilobytes = 100;
const longestMs = 2000;
const listSelector = ".challenge-group-title";

export async function firstViewFigures({ quick, say }: BenchOptions): Promise<Figure[]> {
  const views = quick ? 3 : 9;
  say(`${views} first views at ${line.megabitsPerSecond} Mbit/s and ${line.roundTripMs} ms`);
  await using site = await startSite(1);
  const times: number[] = [];
  let files: string[] = [];
  for (let view = 0; view < views; view++) {
    // One each, so that nothing is cached.
    const browser = await openBrowser().catch((error: Error) => error);
    if (browser instanceof Error) {
      say(`the first view is not measured, since no browser can be opened: ${browser.message.split("\n")[0]}`);
      return [];
    }
    await using _ = browser;
    const { ms, urls } = await firstView(browser, site);
    times.push(ms);
    files = urls.filter((url) => !new URL(url).pathname.startsWith("/api/"));
  }
  const bytes = await Promise.all(files.map((url) => gzipBytes(site, url)));
  return [
    compare({
      name: `gzip weight of the ${files.length} files of the challenges page, beside the limit`,
      unit: "kB",
      value: bytes.reduce((sum, one) => sum + one) / 1000,
      beside: mostKilobytes,
      goal: { atMost: 1 },
    }),
    compare({
      name: `first view until the list is visible, ${line.megabitsPerSecond} Mbit/s and ${line.roundTripMs} ms, beside the limit`,
      unit: "ms",
      value: median(times),
      beside: longestMs,
      goal: { atMost: 1 },
    }),
  ];
}

async function firstView(browser: Browser, site: Site): Promise<{ ms: number; urls: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 800 } });
  await signIn(context, site);
  const page = await context.newPage();
  const urls: string[] = [];
  page.on("request", (request) => urls.push(request.url()));
  await slowDown(context, page);
  const started = performance.now();
  await page.goto(`${site.publicUrl}/challenges`, { waitUntil: "commit" });
  await page.locator(listSelector).first().waitFor({ state: "visible" });
  return { ms: performance.now() - started, urls };
}

async function signIn(context: BrowserContext, { publicUrl, accounts }: Site): Promise<void> {
  const [name = "", value = ""] = accounts[0]?.cookie.split("=") ?? [];
  await context.addCookies([{ name, value, url: publicUrl, httpOnly: true, sameSite: "Lax" }]);
}

async function slowDown(context: BrowserContext, page: Page): Promise<void> {
  const bytesPerSecond = (megabits: number) => (megabits * 1_000_000) / 8;
  const session = await context.newCDPSession(page);
  await session.send("Network.enable");
  await session.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: line.roundTripMs,
    downloadThroughput: bytesPerSecond(line.megabitsPerSecond),
    uploadThroughput: bytesPerSecond(upMegabitsPerSecond),
  });
}

/** As sent to a client that accepts gzip only. */
async function gzipBytes({ target }: Site, url: string): Promise<number> {
  using connection = await Connection.open(target);
  const headers = { "accept-encoding": "gzip" };
  return (await connection.send({ method: "GET", path: new URL(url).pathname, headers })).length;
}
