import type { Page } from "@berg/api/wire";
import { expect, test } from "vitest";
import { addressOfPage, findPage, navigationPages } from "./organiser-pages.ts";

const page = (path: string, index = 0, title = path): Page => ({ path, index, title, content: "" });
const pages = [page("/rules", 2), page("sponsors", 1), page("/help/contact/", 2, "Contact"), page("/", 0)];

test.each([
  { path: "/rules", want: "/rules" },
  { path: "/rules/", want: "/rules" },
  { path: "/sponsors", want: "sponsors" },
  { path: "/help/contact", want: "/help/contact/" },
  { path: "/", want: "/" },
  { path: "/help", want: undefined },
  { path: "/Rules", want: undefined },
])("$path shows the page $want", ({ path, want }) => {
  expect(findPage(pages, path)?.path).toBe(want);
});

test("an address has one slash in front and none at the end", () => {
  expect(["", "/", "rules", "//rules//x/"].map(addressOfPage)).toEqual(["/", "/", "/rules", "/rules/x"]);
});

test("the navigation lists all but the home page, by index and then by title", () => {
  expect(navigationPages(pages).map(({ path }) => path)).toEqual(["sponsors", "/rules", "/help/contact/"]);
});
