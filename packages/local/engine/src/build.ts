/** Building an image from a Dockerfile and the files around it, as `docker build` does. */
import { Readable } from "node:stream";
import type { BuildOptions } from "./engine.ts";
import { pieces, report } from "./images.ts";
import type { Session } from "./session.ts";

export async function buildImage(
  session: Session,
  name: string,
  { context, dockerfile, onProgress }: BuildOptions,
  signal?: AbortSignal,
): Promise<void> {
  let open = "";
  const say = (line: string) => line.trim() && onProgress?.(line.trimEnd());
  const call = {
    what: `build image ${name}`,
    method: "POST",
    path: "/build",
    // What is left of a failed build is of no use to anybody.
    query: { t: name, dockerfile, rm: true, forcerm: true },
    archive: Readable.from(pieces(context), { objectMode: false }),
    signal,
  } as const;
  // A report may hold half a line, or several.
  await report(session, call, ({ stream = "" }) => {
    const lines = (open + stream).split("\n");
    open = lines.pop() ?? "";
    for (const line of lines) say(line);
  });
  say(open);
}
