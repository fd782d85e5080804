import type { Challenge } from "@berg/resources";
import { expect, test } from "vitest";
import { presentChallenge, renderDescription } from "./present.ts";

test.each([
  ["**bold** and `code`", "<p><strong>bold</strong> and <code>code</code></p>"],
  ["# Title", "<h2>Title</h2>"],
  ["<b>html</b>", "<p><b>html</b></p>"],
  ["<script>alert(1)</script>", ""],
  ["<img src=x onerror=alert(1)>", '<img src="x" />'],
  ['<a href="javascript:alert(1)">x</a>', '<p><a rel="noopener noreferrer nofollow" target="_blank">x</a></p>'],
  ["<style>*{display:none}</style><form action=/api><input></form>", ""],
  ['<p style="position:fixed" class="header" id="root">x</p>', "<p>x</p>"],
  ['<svg><a xlink:href="javascript:alert(1)">x</a></svg>', expect.not.stringContaining("javascript")],
])("the description %s is safe to show", (text, html) => {
  const rendered = renderDescription(text).trim();
  if (typeof html === "string") expect(rendered).toBe(html);
  else expect(rendered).toEqual(html);
});

test("a challenge is shown without its flag, image and invalid links", () => {
  const spec = {
    flag: "flag{secret}",
    flags: [{ type: "regex", content: "secret.+", caseInsensitive: false }],
    hints: [{ name: "first", title: "First", content: "secret", cost: 1 }],
    prerequisites: [],
    categories: [],
    tags: [],
    containers: [{ hostname: "web", image: "registry.example/secret:1" }],
    attachments: [
      { fileName: "a.zip", downloadUrl: "https://files.example/a.zip" },
      { downloadUrl: "https://files.example/dir/b.zip?x=1" },
      { fileName: "evil", downloadUrl: "javascript:alert(1)" },
    ],
  };
  const shown = presentChallenge({ metadata: { name: "web" }, spec } as unknown as Challenge);
  expect(shown).toMatchObject({ displayName: "web", categories: ["uncategorized"], hasRemote: true });
  expect(shown.attachments).toEqual([
    { fileName: "a.zip", downloadUrl: "https://files.example/a.zip" },
    { fileName: "b.zip", downloadUrl: "https://files.example/dir/b.zip?x=1" },
  ]);
  expect(JSON.stringify(shown)).not.toContain("secret");
});
