/** Fields that a JSON text says twice. JSON.parse keeps the last of them silently; whoever asked for it is to be told. */

interface Frame {
  /** Of an object; undefined for a list. */
  keys: Set<string> | undefined;
  /** Where this stands in what is around it: `spec` or `[0]`. */
  place: string;
  /** Of an object: the field that is being read. */
  key: string;
  isKeyNext: boolean;
  /** Of a list: the item that is being read. */
  index: number;
}

/** As many as Kubernetes tells. */
const mostTold = 100;

/** Paths such as `spec.replicas` and `spec.ports[0].name`, each once. The text must be valid JSON. */
export function duplicateFields(text: string): string[] {
  const found = new Set<string>();
  const frames: Frame[] = [];
  let frame: Frame | undefined;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: {
        const end = endOfString(text, at);
        if (frame?.keys !== undefined && frame.isKeyNext) {
          frame.isKeyNext = false;
          frame.key = stringAt(text, at, end);
          if (frame.keys.has(frame.key) && found.size < mostTold) found.add(pathTo(frames));
          frame.keys.add(frame.key);
        }
        at = end;
        break;
      }
      case 0x7b: // {
        frame = { keys: new Set(), place: placeIn(frame), key: "", isKeyNext: true, index: 0 };
        frames.push(frame);
        break;
      case 0x5b: // [
        frame = { keys: undefined, place: placeIn(frame), key: "", isKeyNext: false, index: 0 };
        frames.push(frame);
        break;
      case 0x7d: // }
      case 0x5d: // ]
        frames.pop();
        frame = frames.at(-1);
        break;
      case 0x2c: // ,
        if (frame === undefined) break;
        if (frame.keys === undefined) frame.index++;
        else frame.isKeyNext = true;
        break;
    }
  }
  return [...found];
}

function placeIn(frame: Frame | undefined): string {
  if (frame === undefined) return "";
  return frame.keys === undefined ? `[${frame.index}]` : frame.key;
}

function pathTo(frames: readonly Frame[]): string {
  const places = [...frames.map((frame) => frame.place), frames.at(-1)?.key ?? ""];
  return places.reduce((path, place) => (path === "" || place.startsWith("[") ? path + place : `${path}.${place}`), "");
}

/** Where the closing quote of a string stands; the text must be valid JSON. */
export function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === 0x5c) backslashes++;
  return backslashes % 2 === 1;
}

function stringAt(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end);
  return inner.includes("\\") ? (JSON.parse(text.slice(start, end + 1)) as string) : inner;
}
