/** Why an image of the client proxy did not build, in words that name what is wrong and what to do. Pure. */

/** What a builder said, as far as a status has room for it. */
const mostLines = 8;
const longestLine = 300;

export class ImageBuildFailed extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = "ImageBuildFailed";
  }
}

export interface BuildStory {
  baseImage: string;
  /** Of this machine: `x64`. */
  architecture: string;
  /** What the builder said, line by line; then what it ended with. */
  said: readonly string[];
  end: string;
}

/** `the base image alpine:3 lacks libstdc++.so.6, …\n<the builder's last lines>` */
export function failureText(story: BuildStory): string {
  const last = lastLines([...story.said, story.end]);
  return [meaning(story, last.join("\n")), ...last].join("\n");
}

/** A base image cannot be changed, and Failed is for good. */
export const remedy = "delete this object, and create it again with another baseImage:";

const needs = `${remedy} one that has glibc 2.28 or newer and the C++ library, such as debian:12 or mcr.microsoft.com/azurelinux/base/core:3.0`;

function meaning({ baseImage, architecture }: BuildStory, text: string): string {
  const base = `the base image ${baseImage}`;
  const [, library] = /error while loading shared libraries: ([^\s:]+):/.exec(text) ?? [];
  if (library) return `${base} lacks ${library}, which the client proxy needs; ${needs}`;
  const [, version] = /version [`'"]?((?:GLIBC|GLIBCXX|CXXABI|GCC)_[\w.]+)['"]? not found/.exec(text) ?? [];
  if (version) return `${base} has libraries without ${version}, which the client proxy needs; ${needs}`;
  if (/exec format error/i.test(text)) {
    return `${base} is for another kind of processor than this machine's (${architecture}); ${remedy} one for that`;
  }
  // The program was just copied there: what is not there is the loader that it names.
  if (/(exec|stat|run)\b.*client-proxy.*no such file or directory/is.test(text)) {
    return `${base} has no loader of glibc, which the client proxy needs; ${needs}`;
  }
  return `the image could not be built on ${baseImage}`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unprintable = /\u001b\[[0-9;]*[A-Za-z]|[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]+/g;

/** Printable, bounded, none empty, none twice in a row. */
export function lastLines(said: readonly string[]): string[] {
  return said
    .flatMap((text) => text.split("\n"))
    .map((line) => line.replace(unprintable, " ").trim().slice(0, longestLine))
    .filter((line, index, all) => line && line !== all[index - 1])
    .slice(-mostLines);
}
