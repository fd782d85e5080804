/** Page: a page of the website that the organisers write, such as the rules or the FAQ. */
import type { KubeObject } from "@berg/apimachinery";
import { z } from "zod";
import { text } from "./fields.ts";
import { ruled } from "./rules.ts";

const segment = "[A-Za-z0-9._~-]+";

// The first segments under which the website serves its API and its own files.
const reserved = /^[/]?(api|assets)([/]|$)/;

// Browsers resolve these before they ask for the page.
const dotSegment = /(^|[/])[.][.]?([/]|$)/;

const path = ruled(
  text({
    min: 1,
    max: 256,
    pattern: new RegExp(`^([/]|[/]?${segment}([/]${segment})*)$`),
    must: "must be a path such as /rules or /help/faq: letters, digits, '.', '_', '~' and '-' between single slashes",
  }),
  {
    cel: `!self.matches('${reserved.source}')`,
    message: "path cannot begin with /api or /assets, which the website uses itself: choose another first part",
    holds: (self) => !reserved.test(self),
  },
  {
    cel: `!self.matches('${dotSegment.source}')`,
    message: "path cannot contain . or .. as a part, which browsers resolve before they ask for the page",
    holds: (self) => !dotSegment.test(self),
  },
);

export const pageSpec = z
  .strictObject({
    path: path.describe("Where the page is on the website, such as /rules. / is the home page."),
    title: text({ min: 1, max: 128 }).describe("Title of the page, also in the menu."),
    index: z
      .int()
      .min(-1_000_000)
      .max(1_000_000)
      .describe("Where the page stands in the menu: pages with a smaller index come first.")
      .default(0),
    content: text({ max: 262_144 })
      .describe("Content of the page in Markdown or HTML. Scripts are removed.")
      .default(""),
  })
  .describe("What the page shows, and where.");

export type PageSpec = z.output<typeof pageSpec>;

/** As the API server returns it: every default is filled in. */
export interface Page extends KubeObject {
  spec: PageSpec;
}
