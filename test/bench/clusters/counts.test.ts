import { expect, test } from "vitest";
import { count, describeCounts, difference, isOfLease, isWatch, isWrite, sum, total } from "./counts.ts";
import { countsIn } from "./server-metrics.ts";

test("requests are counted by what is asked of what", () => {
  const create = { verb: "create", resource: "serviceaccounts", subresource: "" };
  const counts = count([create, { ...create, subresource: "token" }, create]);
  expect(counts).toEqual({ "create serviceaccounts": 2, "create serviceaccounts/token": 1 });
  expect(describeCounts(counts)).toBe("2 create serviceaccounts, 1 create serviceaccounts/token");
});

test("what came in between leaves out what did not", () => {
  const before = { "get secrets": 2, "create secrets": 5 };
  expect(difference({ "get secrets": 2, "create secrets": 7, "watch shoots": 1 }, before)).toEqual({
    "create secrets": 2,
    "watch shoots": 1,
  });
});

test("a total is of all, or of the kinds that are wanted", () => {
  const counts = sum({ "update leases": 3, "watch shoots": 1 }, { "watch shoots": 1, "get shoots": 4 });
  expect(total(counts)).toBe(9);
  expect([total(counts, isWrite), total(counts, isWatch), total(counts, isOfLease)]).toEqual([3, 2, 3]);
});

test("a server's own requests are left out of what it counted", () => {
  const line = (verb: string, resource: string, subresource: string, value: number) =>
    `apiserver_request_total{code="200",component="apiserver",dry_run="",group="",resource="${resource}",scope="resource",subresource="${subresource}",verb="${verb}",version="v1"} ${value}`;
  const metrics = [
    "# HELP apiserver_request_total Counter of apiserver requests",
    line("POST", "secrets", "", 2),
    line("POST", "serviceaccounts", "token", 3),
    line("PUT", "leases", "", 9),
    line("WATCH", "secrets", "", 9),
    line("LIST", "secrets", "", 1),
    'apiserver_request_duration_seconds{verb="POST",resource="secrets"} 7',
  ];
  expect(countsIn(metrics.join("\n"))).toEqual({
    "create secrets": 2,
    "create serviceaccounts/token": 3,
    "list secrets": 1,
  });
});
