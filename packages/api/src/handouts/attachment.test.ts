import { describe, expect, test } from "vitest";
import { fileNameOf, sourceOf } from "./attachment.ts";
import { contentDisposition } from "./content-disposition.ts";
import { parseImageReference } from "./image-reference.ts";

describe("the source of an attachment", () => {
  test.each([
    ["https://files.example/a.zip", { kind: "url", url: "https://files.example/a.zip" }],
    ["a.zip", { kind: "file", segments: ["a.zip"] }],
    ["/vault/desk.mjs", { kind: "file", segments: ["vault", "desk.mjs"] }],
    ["dir/with%20space.txt?x=1#y", { kind: "file", segments: ["dir", "with space.txt"] }],
    ["../../etc/passwd", undefined],
    ["a/../b", undefined],
    ["a/%2e%2e/b", undefined],
    ["a/%2e%2e%2fb", undefined],
    ["a\\..\\b", undefined],
    ["a//b", undefined],
    ["a%00b", undefined],
    ["%", undefined],
    ["//evil.example/a.zip", undefined],
    ["javascript:alert(1)", undefined],
    ["file:///etc/passwd", undefined],
    ["", undefined],
  ])("%s", (downloadUrl, want) => expect(sourceOf({ downloadUrl })).toEqual(want));

  test("an attachment without a source has none", () => expect(sourceOf({ fileName: "a" })).toBeUndefined());
});

test.each([
  ["ghcr.io/team/a:1", { registry: "ghcr.io", repository: "team/a", reference: "1" }],
  ["localhost:5000/a", { registry: "localhost:5000", repository: "a", reference: "latest" }],
  ["alpine", { registry: "docker.io", repository: "library/alpine", reference: "latest" }],
  ["team/a", { registry: "docker.io", repository: "team/a", reference: "latest" }],
  [`ghcr.io/a:1@sha256:${"0".repeat(64)}`, { repository: "a", reference: `sha256:${"0".repeat(64)}` }],
  ["ghcr.io/../a", undefined],
  ["ghcr.io/A", undefined],
  ["ghcr.io/a@sha256:1", undefined],
  ["user:pass@ghcr.io/a", undefined],
  ["ghcr.io/a:1:2", undefined],
  ["ghcr.io/a?x", undefined],
  ["", undefined],
])("the image reference %s", (text, want) => {
  const read = parseImageReference(text);
  if (want === undefined) expect(read).toBeUndefined();
  else expect(read).toMatchObject(want);
});

test.each([
  [{ fileName: "a.zip", downloadUrl: "b" }, "a.zip"],
  [{ downloadUrl: "https://x.example/d/b%20c.zip?q=1" }, "b c.zip"],
  [{ downloadImage: "ghcr.io:443/team/handout:1" }, "handout"],
  [{ downloadUrl: "https://x.example/" }, "download"],
  [{ fileName: "../../.bashrc" }, "__.._.bashrc"],
  [{ fileName: "a\u202etxt.exe\r\nX: 1" }, "atxt.exeX_ 1"],
])("the file name of %j", (attachment, want) => expect(fileNameOf(attachment)).toBe(want));

test.each([
  ["a.zip", `attachment; filename="a.zip"; filename*=UTF-8''a.zip`],
  ["Größe 100%.pdf", `attachment; filename="Gro_e 100_.pdf"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20100%25.pdf`],
  ['a"; filename="b.exe', `attachment; filename="a_; filename=_b.exe"; filename*=UTF-8''a_%3B%20filename%3D_b.exe`],
  ["日本.txt", `attachment; filename="__.txt"; filename*=UTF-8''%E6%97%A5%E6%9C%AC.txt`],
  ["x\r\nSet-Cookie: a=b", `attachment; filename="xSet-Cookie_ a=b"; filename*=UTF-8''xSet-Cookie_%20a%3Db`],
  ["\u0000", `attachment; filename="download"; filename*=UTF-8''download`],
  ["it's (1)*.txt", `attachment; filename="it's (1)_.txt"; filename*=UTF-8''it%27s%20%281%29_.txt`],
])("the header for %j", (name, want) => expect(contentDisposition(name)).toBe(want));
