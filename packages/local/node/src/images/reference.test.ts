import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fullName, parseReference } from "./reference.ts";

const hex = "0123456789abcdef".repeat(4);
const digest = `sha256:${hex}`;

test.each([
  ["nginx", "docker.io/library/nginx:latest"],
  ["nginx:1.27", "docker.io/library/nginx:1.27"],
  ["team/web", "docker.io/team/web:latest"],
  ["docker.io/nginx", "docker.io/library/nginx:latest"],
  ["index.docker.io/team/web:1", "docker.io/team/web:1"],
  ["localhost/web", "localhost/web:latest"],
  ["localhost:5000/web", "localhost:5000/web:latest"],
  ["Registry/web:1", "Registry/web:1"],
  ["ghcr.io/a/b-c__d.e:V1_2", "ghcr.io/a/b-c__d.e:V1_2"],
  ["[fd00::1]:5000/web", "[fd00::1]:5000/web:latest"],
  [`nginx@${digest}`, `docker.io/library/nginx@${digest}`],
  [`nginx:1@${digest}`, `docker.io/library/nginx@${digest}`],
])("%s is %s", (text, name) => {
  const reference = parseReference(text);
  expect("reason" in reference ? reference : fullName(reference)).toBe(name);
});

// As the kubelet says it: pkg/util/parsers and distribution/reference of 1.36.
test.each([
  ["", "invalid reference format"],
  ["a b", "invalid reference format"],
  ["web:", "invalid reference format"],
  ["web:-1", "invalid reference format"],
  [`web:${"x".repeat(129)}`, "invalid reference format"],
  ["-web", "invalid reference format"],
  ["https://ghcr.io/web", "invalid reference format"],
  ["ghcr.io//web", "invalid reference format"],
  ["Web", "invalid reference format: repository name (library/Web) must be lowercase"],
  ["ghcr.io/Team/web:1", "invalid reference format: repository name (Team/web) must be lowercase"],
  [hex, `invalid repository name (${hex}), cannot specify 64-byte hexadecimal strings`],
  [`web@md5:${hex}`, "unsupported digest algorithm"],
  [`web@sha256:${hex}00`, "invalid checksum digest length"],
  [`web@sha256:${hex.toUpperCase()}`, "invalid checksum digest format"],
  [`web@sha256:${hex.slice(1, 20)}`, "invalid reference format"],
  [`r.io/${"a".repeat(256)}`, "repository name must not be more than 255 characters"],
])("%s is no image name", (text, why) => {
  expect(parseReference(text)).toEqual({ reason: `couldn't parse image name ${JSON.stringify(text)}: ${why}` });
});

describe("laws", () => {
  test("a full name is its own full name", () => {
    const part = fc.stringMatching(/^[a-z0-9]{1,5}$/);
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), fc.option(part), (parts, tag) => {
        const once = parseReference(parts.join("/") + (tag === null ? "" : `:${tag}`));
        if ("reason" in once) throw new Error(once.reason);
        expect(parseReference(fullName(once))).toEqual(once);
      }),
    );
  });

  test("nothing makes it throw, or think for long", () => {
    const text = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom("a", "a-", "a.", "A").map((x) => x.repeat(1e6)),
    );
    fc.assert(
      fc.property(text, (given) => {
        parseReference(given);
      }),
    );
  });
});
