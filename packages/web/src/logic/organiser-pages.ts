/** Which page of the organiser belongs to which address. */
import type { Page } from "@berg/api/wire";

/** The page at that address, whatever slashes the organiser or the visitor wrote at its ends. */
export function findPage(pages: Page[], path: string): Page | undefined {
  const wanted = addressOfPage(path);
  return pages.find((page) => addressOfPage(page.path) === wanted);
}

/** Those of the navigation, in the order of the organiser. The home page is linked by the name of the event. */
export function navigationPages(pages: Page[]): Page[] {
  return pages
    .filter(({ path }) => addressOfPage(path) !== "/")
    .sort((a, b) => a.index - b.index || a.title.localeCompare(b.title));
}

/** With one slash in front and none at the end. */
export function addressOfPage(path: string): string {
  return `/${path.split("/").filter(Boolean).join("/")}`;
}
