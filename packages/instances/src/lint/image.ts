import { quoted } from "@berg/apimachinery";
import type { ChallengeContainer, FieldPath } from "@berg/resources";
import { error, type Problem, warning } from "./problem.ts";

const registry =
  /^(?:\[[0-9a-fA-F:]+\]|[a-zA-Z0-9](?:[-a-zA-Z0-9]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[-a-zA-Z0-9]*[a-zA-Z0-9])?)*)(?::\d+)?$/;
const pathPart = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const tagPattern = /^\w[\w.-]{0,127}$/;
const digestPattern = /^(?:sha256:[0-9a-f]{64}|sha384:[0-9a-f]{96}|sha512:[0-9a-f]{128})$/;
const longestRepository = 255;

/** A node cannot pull what is not the name of an image, and what a tag means changes. */
export function imageProblems({ image }: ChallengeContainer, at: FieldPath): Problem[] {
  const path = [...at, "image"];
  const { repository, tag, digest } = partsOf(image);
  const wrong = wrongPart(repository, tag, digest);
  if (wrong !== undefined)
    return [
      error(
        path,
        `${quoted(image)} is not the name of an image: ${wrong}`,
        "write one such as registry.example.com/web:1.2",
      ),
    ];
  if (digest !== undefined || (tag !== undefined && tag !== "latest")) return [];
  const message = `${quoted(image)} is another image with every release, so that two instances can differ`;
  return [warning(path, message, "name a version, such as :1.2")];
}

/** `registry.example.com:5000/ctf/web:1.2@sha256:…`: a colon before the last `/` belongs to a port. */
function partsOf(image: string): { repository: string; tag: string | undefined; digest: string | undefined } {
  const at = image.indexOf("@");
  const named = at < 0 ? image : image.slice(0, at);
  const colon = named.indexOf(":", named.lastIndexOf("/") + 1);
  return {
    repository: colon < 0 ? named : named.slice(0, colon),
    tag: colon < 0 ? undefined : named.slice(colon + 1),
    digest: at < 0 ? undefined : image.slice(at + 1),
  };
}

function wrongPart(repository: string, tag: string | undefined, digest: string | undefined): string | undefined {
  const [first = "", ...rest] = repository.split("/");
  const hasRegistry = rest.length > 0 && (/[.:A-Z[]/.test(first) || first === "localhost");
  if (hasRegistry && !registry.test(first)) return `${quoted(first)} is not a registry`;
  const bad = (hasRegistry ? rest : [first, ...rest]).find((part) => !pathPart.test(part));
  if (bad !== undefined && bad !== bad.toLowerCase()) return `${quoted(bad)} has capital letters`;
  if (bad !== undefined) return bad === "" ? "a part of it is empty" : `${quoted(bad)} is not a part of a path`;
  if (repository.length > longestRepository) return `it has more than ${longestRepository} characters`;
  if (tag !== undefined && !tagPattern.test(tag)) return `${quoted(tag)} is not a tag`;
  if (digest !== undefined && !digestPattern.test(digest)) return `${quoted(digest)} is not a digest`;
  return undefined;
}
