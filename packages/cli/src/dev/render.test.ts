import { expect, test } from "vitest";
import { plain } from "../instance/paint.ts";
import { prefixes } from "./prefixes.ts";
import { renderChange } from "./render.ts";

test.each([
  { yaml: true, images: [], want: "Changed: a.yaml" },
  { yaml: false, images: [{ image: "page:1", files: [] }], want: "Changed: the image page:1" },
  {
    yaml: true,
    images: [{ image: "page:1", files: ["a", "b", "c", "d", "e"] }],
    want: "Changed: a.yaml; a, b, c and 2 more (page:1)",
  },
])("says what changed: $want", ({ yaml, images, want }) => {
  expect(renderChange("a.yaml", yaml, images)).toBe(want);
});

test("each container keeps a colour of its own, where there are colours", () => {
  const coloured = prefixes((_, text) => text);
  const [web, data] = [coloured("web"), coloured("data")];
  expect(web.startsWith("\u001b[36mweb |")).toBe(true);
  expect(data.replace("data", "web")).not.toBe(web);
  expect(coloured("web")).toBe(web);
  expect(prefixes(plain)("web")).toBe("web |");
});
