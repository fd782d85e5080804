import { validateChallenge } from "@berg/resources";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { imageSources } from "./sources.ts";
import { webChallenge } from "./testing/author.ts";
import { watchedDirectories } from "./watch.ts";

/** `web:page` is a container web of the image page. */
function challengeOf(...containers: string[]) {
  const manifest = parse(webChallenge());
  manifest.spec.containers = containers.map((text) => {
    const [hostname, ...image] = text.split(":");
    return { hostname, image: image.join(":") };
  });
  const { object, errors } = validateChallenge(manifest);
  if (!object) throw new Error(JSON.stringify(errors));
  return object;
}

describe("where an image comes from, and what is watched for it", () => {
  test.each([
    { what: "nothing", containers: ["web:page"], files: [], want: ["page elsewhere"], watched: ["/c"] },
    {
      what: "a Dockerfile beside the YAML",
      containers: ["web:page"],
      files: ["/c/Dockerfile"],
      want: ["page /c/Dockerfile"],
      watched: ["/c/**"],
    },
    {
      what: "a Containerfile in its own directory, before the one beside the YAML",
      containers: ["web:page"],
      files: ["/c/Dockerfile", "/c/web", "/c/web/Containerfile"],
      want: ["page /c/web/Containerfile"],
      watched: ["/c", "/c/web/**"],
    },
    {
      what: "one beside the YAML and one of its own",
      containers: ["web:page", "db:data"],
      files: ["/c/Dockerfile", "/c/db", "/c/db/Dockerfile"],
      want: ["page /c/Dockerfile", "data /c/db/Dockerfile"],
      watched: ["/c/**"],
    },
    {
      what: "one beside the YAML, and nobody could tell whose",
      containers: ["web:page", "db:data"],
      files: ["/c/Dockerfile"],
      want: ["page elsewhere", "data elsewhere"],
      watched: ["/c"],
    },
    {
      what: "one image of two containers",
      containers: ["web:page", "bot:page"],
      files: ["/c/Dockerfile"],
      want: ["page /c/Dockerfile"],
      watched: ["/c/**"],
    },
    {
      what: "a sample",
      containers: ["notes:berg.local/sample-notes:1"],
      files: [],
      want: ["berg.local/sample-notes:1 sample"],
      watched: ["/c/**"],
    },
    {
      what: "a directory that a Dockerfile may come into",
      containers: ["web:page"],
      files: ["/c/web"],
      want: ["page elsewhere"],
      watched: ["/c", "/c/web/**"],
    },
  ])("$what", ({ containers, files, want, watched }) => {
    const exists = (path: string) => files.includes(path);
    const challenge = challengeOf(...containers);
    const sources = imageSources(challenge, "/c", exists);
    const told = sources.map((source) =>
      source.kind === "build"
        ? `${source.image} ${source.directory}/${source.dockerfile}`
        : `${source.image} ${source.kind}`,
    );
    expect(told).toEqual(want);
    const directories = watchedDirectories({ directory: "/c", sources, challenge }, exists);
    expect([...directories].map(([path, { recursive }]) => `${path}${recursive ? "/**" : ""}`)).toEqual(watched);
  });
});
