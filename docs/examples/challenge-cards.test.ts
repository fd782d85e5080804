import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cardOf } from "./challenge-cards.ts";

const stored = {
  apiVersion: "berg.norelect.ch/v1",
  kind: "Challenge",
  metadata: {
    name: "web",
    namespace: "ctf",
    uid: "u1",
    resourceVersion: "1",
    creationTimestamp: "2026-01-01T00:00:00Z",
  },
};

test("a card says what players read, and whose it is", () => {
  const spec = { displayName: "Cookie Jar", categories: ["web", "easy"] } as Parameters<typeof cardOf>[0]["spec"];
  expect(cardOf({ ...stored, spec })).toEqual({
    metadata: { name: "web-card", namespace: "ctf", labels: { "example.berg.norelect.ch/challenge-uid": "u1" } },
    data: { title: "Cookie Jar", categories: "web, easy" },
  });
});

test.each(["challenge-cards.ts", "run-challenge-cards.ts"])("the guide shows %s as it is", async (file) => {
  const guide = await readFile(join(import.meta.dirname, "../write-a-controller.md"), "utf8");
  const source = await readFile(join(import.meta.dirname, file), "utf8");
  expect(guide).toContain(`\`\`\`ts\n${source}\`\`\``);
});

test("the guide's fences close", async () => {
  const guide = await readFile(join(import.meta.dirname, "../write-a-controller.md"), "utf8");
  expect(guide.match(/^`{3,}/gm)).toEqual(["```", "```", "```", "```"]);
});
