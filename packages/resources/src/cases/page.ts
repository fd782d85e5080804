/** What the CRD of Page accepts and refuses, one case a constraint. */
import type { Case, Fields } from "./case.ts";

export const fullPageSpec = { path: "/help/faq", title: "FAQ", index: 3, content: "# FAQ\n<b>Ask!</b>" };

const page = (fields: Fields) => ({ path: "/rules", title: "Rules", ...fields });
const refusedPath = { wantRefused: ["spec.path"] };

const specs: [string, Fields, Partial<Case>?][] = [
  ["the least that a page needs", page({}), { wantStored: { spec: { index: 0, content: "" } } }],
  ["everything it can hold", fullPageSpec, { wantStored: { spec: fullPageSpec } }],
  ["no path", page({ path: undefined }), refusedPath],
  ["an empty path", page({ path: "" }), refusedPath],
  ["the home page", page({ path: "/" })],
  ["a path without the first slash", page({ path: "rules" })],
  ["a path with every sign it can have", page({ path: "/2026/~a.b_c-D" })],
  ["a path that ends with a slash", page({ path: "/rules/" }), refusedPath],
  ["a path with two slashes", page({ path: "//evil.example.com" }), refusedPath],
  ["a path with a space", page({ path: "/the rules" }), refusedPath],
  ["a path with a query", page({ path: "/rules?a=b" }), refusedPath],
  ["a path followed by a line feed", page({ path: "/rules\n" }), refusedPath],
  ["a path to the folder above", page({ path: "/a/../b" }), refusedPath],
  ["a path that ends with a dot", page({ path: "/a/." }), refusedPath],
  ["a path with dots in a name", page({ path: "/a..b/.well-known" })],
  ["a path of 256 characters", page({ path: "p".repeat(256) })],
  ["a path of 257 characters", page({ path: "p".repeat(257) }), refusedPath],
  ["the path of the API", page({ path: "/api" }), refusedPath],
  ["a path of the API", page({ path: "api/v1" }), refusedPath],
  ["a path of the website's files", page({ path: "/assets/logo.svg" }), refusedPath],
  ["a path that only begins with the same letters", page({ path: "/apiary" })],
  ["no title", page({ title: undefined }), { wantRefused: ["spec.title"] }],
  ["an empty title", page({ title: "" }), { wantRefused: ["spec.title"] }],
  ["a title of 129 characters", page({ title: "t".repeat(129) }), { wantRefused: ["spec.title"] }],
  ["an index below zero", page({ index: -1 })],
  ["half an index", page({ index: 1.5 }), { wantRefused: ["spec.index"] }],
  ["text for an index", page({ index: "1" }), { wantRefused: ["spec.index"] }],
  ["a content of 256 KiB", page({ content: "c".repeat(262_144) })],
  ["a content of more than 256 KiB", page({ content: "c".repeat(262_145) }), { wantRefused: ["spec.content"] }],
  ["a field that does not exist", page({ body: "" }), { wantRefused: ["spec.body"] }],
];

const kind = "Page";

export const pageCases: Case[] = [
  ...specs.map(([name, spec, want]): Case => ({ name, kind, write: { spec }, ...want })),
  { name: "no spec", kind, write: {}, wantRefused: ["spec"] },
];
