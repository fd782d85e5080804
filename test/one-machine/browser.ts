/** A browser without a window, from npm alone: its program comes packed, and is unpacked for as long as it runs. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import packed from "@sparticuz/chromium";
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";

export interface Browser extends AsyncDisposable {
  newPage(): Promise<Page>;
  /** A browser profile of its own, with its own cookies. */
  newContext(options: BrowserContextOptions): Promise<BrowserContext>;
}

export async function openBrowser(): Promise<Browser> {
  const directory = await mkdtemp(join(tmpdir(), "berg-browser-"));
  const remove = () => rm(directory, { recursive: true, force: true });
  try {
    const executablePath = await unpackedIn(directory);
    const browser = await chromium.launch({ executablePath, args: launchArguments(), headless: true });
    return {
      newPage: () => browser.newPage(),
      newContext: (options) => browser.newContext(options),
      async [Symbol.asyncDispose]() {
        await browser.close();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/**
 * The package disables protections that our tests are about: without them the browser sends no Origin. In a single
 * process, the browser dies when a context is closed.
 */
function launchArguments(): string[] {
  const unwanted = [
    "--disable-web-security",
    "--allow-running-insecure-content",
    "--disable-site-isolation-trials",
    "--single-process",
  ];
  return packed.args.filter((argument) => !unwanted.includes(argument));
}

/** It knows no other place than the one for temporary files. */
async function unpackedIn(directory: string): Promise<string> {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = directory;
  try {
    return await packed.executablePath();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}
