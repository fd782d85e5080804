/** What an author reads. Pure. */
import type { Paint } from "../instance/paint.ts";
import { printable } from "../instance/printable.ts";
import { shownFlag } from "../instance/render-start.ts";
import { addressRow, type Row, renderRows } from "../instance/render-text.ts";
import type { InstanceView } from "../instance/view.ts";
import type { ImageChange } from "./images.ts";

export function renderRunning(
  view: InstanceView,
  flag: string | undefined,
  flagPlaces: readonly string[],
  paint: Paint,
): string {
  const rows: Row[] = [
    addressRow(view.addresses, paint),
    flag === undefined
      ? ["flag", "that of the Challenge: no container gets one of its own"]
      : ["flag", paint("bold", shownFlag(flag)), ...flagPlaces.map((place) => `in ${printable(place)}`)],
    ["to end", "Ctrl-C"],
  ];
  return `${paint("bold", view.name)} runs:\n${renderRows(rows, paint)}`;
}

const mostFiles = 3;

/** `Changed: challenge.yaml; web/app.py, web/Dockerfile and 2 more (berg.local/web:1)` */
export function renderChange(file: string, isYamlChanged: boolean, images: readonly ImageChange[]): string {
  const texts = images.map(({ image, files }) => {
    const more = files.length > mostFiles ? ` and ${files.length - mostFiles} more` : "";
    return files.length === 0 ? `the image ${image}` : `${files.slice(0, mostFiles).join(", ")}${more} (${image})`;
  });
  return `Changed: ${[...(isYamlChanged ? [file] : []), ...texts].join("; ")}`;
}
