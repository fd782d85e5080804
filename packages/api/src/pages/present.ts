/** A Page of the organiser as clients see it: its content as safe HTML, its path with one slash in front. Pure. */
import type { Page as StoredPage } from "@berg/resources";
import { renderDescription } from "../challenges/present.ts";
import type { Page } from "../wire.ts";

export function presentPage({ spec: { title, path, index, content } }: StoredPage): Page {
  return { title, path: normalPath(path), index: Math.trunc(index), content: renderDescription(content) };
}

/** Authors write it with or without the slash. */
export function normalPath(path: string): string {
  return `/${path.replace(/^\/+/, "").replace(/\/+$/, "")}`;
}
