/** How tables show the containers of a template. */
import type { Container } from "./types.ts";

export function containerNames(containers: readonly Container[] | null): string {
  return (containers ?? []).map(({ name }) => name).join(",");
}

export function containerImages(containers: readonly Container[] | null): string {
  return (containers ?? []).map(({ image = "" }) => image).join(",");
}
