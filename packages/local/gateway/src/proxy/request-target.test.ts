import { describe, expect, test } from "vitest";
import { requestTarget } from "./request-target.ts";

describe("a request", () => {
  test.each([
    ["/a?b", ["Host", "Web.test:80"], { host: "Web.test:80", hostname: "web.test", target: "/a?b" }],
    ["/a", [], { host: "", hostname: "", target: "/a" }],
    ["http://a.test:1/b?c", ["Host", "other.test"], { host: "a.test:1", hostname: "a.test", target: "/b?c" }],
    ["HTTPS://a.test", [], { host: "a.test", hostname: "a.test", target: "/" }],
    ["http://a.test?b/c", [], { host: "a.test", hostname: "a.test", target: "/?b/c" }],
    ["http:///a", ["Host", "a.test"], undefined],
    ["/", ["Host", "a", "host", "a"], undefined],
    ["/", ["Host", "a b"], undefined],
  ])("for %j with %j is for %j", (url, raw, wanted) => {
    expect(requestTarget(url, raw)).toEqual(wanted);
  });

  test("that is rubbish is found out in one go", () => {
    const url = `http://${"a".repeat(60_000)}/${"a".repeat(60_000)}#`;
    // All of them together take minutes where the whole is looked at again for each byte of the host.
    for (let i = 0; i < 15; i++) expect(requestTarget(url, ["Host", "a b"])).toBeUndefined();
  });
});
