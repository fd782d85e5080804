import { expect, test } from "vitest";
import { renderTable } from "./table.ts";

test("is aligned, one line each, with nothing in it that a terminal would obey", () => {
  const table = renderTable([
    { kind: "ChallengeInstance", name: "berg/ada", did: "deleted", why: "its time was up" },
    { kind: "Pod", name: "challenge-1/web", did: "failed", why: "no:\n\u001b[2Jreally" },
  ]);
  expect(table.split("\n")).toEqual([
    "KIND               NAME             DID      WHY",
    "ChallengeInstance  berg/ada         deleted  its time was up",
    "Pod                challenge-1/web  failed   no: [2Jreally",
    "",
  ]);
});
