import { expect, test } from "vitest";
import { changeAdminQuery, formatAdminQuery, pageCount, parseAdminQuery, sortBy } from "./admin-query.ts";

const parse = (text: string) => parseAdminQuery(new URLSearchParams(text));

test("an empty address means the newest open instances", () => {
  expect(parse("")).toEqual({
    search: "",
    challenge: "",
    phase: "",
    state: "open",
    sort: "startedAt",
    order: "desc",
    page: 1,
  });
  expect(formatAdminQuery(parse("")).toString()).toBe("");
});

test("what is not the default survives the way through the address", () => {
  const text = "search=ann+b&challenge=jail&phase=Failed&state=all&sort=owner&order=asc&page=3";
  expect(formatAdminQuery(parse(text)).toString()).toBe(text);
});

test("values that make no sense count as absent", () => {
  expect(formatAdminQuery(parse("state=maybe&sort=flag&order=up&page=-1")).toString()).toBe("");
  expect(parse("page=1.5").page).toBe(1);
});

test("a change leads to the first page, unless it is one of the page", () => {
  const third = parse("page=3");
  expect(changeAdminQuery(third, { search: "x" }).page).toBe(1);
  expect(changeAdminQuery(third, { page: 4 }).page).toBe(4);
});

test("sorting by the same column turns the order round", () => {
  const owner = sortBy(parse("page=2"), "owner");
  expect([owner.sort, owner.order, owner.page]).toEqual(["owner", "asc", 1]);
  expect(sortBy(owner, "owner").order).toBe("desc");
  expect(sortBy(owner, "startedAt").order).toBe("desc");
});

test.each([
  { total: 0, want: 1 },
  { total: 50, want: 1 },
  { total: 51, want: 2 },
])("$total instances are $want pages", ({ total, want }) => {
  expect(pageCount({ total, pageSize: 50 })).toBe(want);
});
