/** The built pages that `berg api` serves. Without any it serves the API alone. */
import { access, constants } from "node:fs/promises";
import { join } from "node:path";
import type { Pages } from "@berg/api";
import { ConfigurationError, errorText } from "@berg/kube";

export async function findPages(directory: string | undefined): Promise<Pages> {
  if (directory === undefined) return buildPages();
  try {
    await access(join(directory, "index.html"), constants.R_OK);
    return { directory };
  } catch {
    throw new ConfigurationError(`cannot read PAGES_DIR: ${directory} has no index.html that can be read`);
  }
}

/** Our image contains neither Vite nor the sources of the pages. */
async function buildPages(): Promise<Pages> {
  try {
    const web = await import("@berg/web");
    return { directory: (await web.buildPages()).directory };
  } catch (error) {
    return { reason: `PAGES_DIR is not set, and they cannot be built: ${errorText(error)}` };
  }
}
