/** A Challenge as players see it: without flags and images, its description as safe HTML. Pure. */
import type { Challenge as StoredChallenge } from "@berg/resources";
import { marked } from "marked";
import sanitizeHtml from "sanitize-html";
import { fileNameOf, sourceOf } from "../handouts/attachment.ts";
import type { Challenge } from "../wire.ts";

export function presentChallenge({ metadata, spec }: StoredChallenge): Challenge {
  return {
    name: metadata.name,
    displayName: spec.displayName || metadata.name,
    author: spec.author ?? "",
    description: renderDescription(spec.description ?? ""),
    hideUntil: spec.hideUntil === undefined ? null : new Date(spec.hideUntil).toISOString(),
    // Clients of the original need one.
    categories: spec.categories.length > 0 ? spec.categories : ["uncategorized"],
    tags: spec.tags,
    event: spec.event ?? "",
    difficulty: spec.difficulty ?? "",
    flagFormat: spec.flagFormat || "flag{...}",
    attachments: spec.attachments.flatMap((attachment, index) => {
      const source = sourceOf(attachment);
      if (!source) return [];
      const handout = `/api/challenges/${encodeURIComponent(metadata.name)}/handout/${index}`;
      return [{ fileName: fileNameOf(attachment), downloadUrl: source.kind === "url" ? source.url : handout }];
    }),
    hasRemote: spec.containers.length > 0,
    connectionInfo: spec.connectionInfo || null,
    closesAt: spec.closesAt === undefined ? null : new Date(spec.closesAt).toISOString(),
    prerequisites: spec.prerequisites ?? [],
    hints: (spec.hints ?? []).map(({ name, title, cost }) => ({ name, title, cost })),
  };
}

/** Markdown and HTML, as authors write it. What could run code, load other sites' content or imitate our pages is removed. */
export function renderDescription(text: string): string {
  return sanitizeHtml(marked.parse(text, { async: false }), {
    allowedTags: [
      ...["p", "br", "hr", "h1", "h2", "h3", "h4", "strong", "b", "em", "i", "s", "u", "sub", "sup", "small"],
      ...["ul", "ol", "li", "blockquote", "pre", "code", "kbd", "a", "img", "details", "summary"],
      ...["table", "thead", "tbody", "tr", "th", "td"],
    ],
    allowedAttributes: { a: ["href", "title", "rel", "target"], img: ["src", "alt", "title", "width", "height"] },
    allowedSchemes: ["http", "https", "mailto"],
    allowedSchemesByTag: { img: ["https", "data"] },
    allowProtocolRelative: false,
    // The page already has a heading of the first level.
    transformTags: {
      h1: "h2",
      a: sanitizeHtml.simpleTransform("a", { rel: "noopener noreferrer nofollow", target: "_blank" }, true),
    },
    disallowedTagsMode: "discard",
  });
}
