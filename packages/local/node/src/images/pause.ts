/**
 * The image of the container that holds a pod's network, IPC and host name. Its one program is in pause-program.ts.
 */
import { createHash } from "node:crypto";
import { imageArchive } from "./archive.ts";
import { pauseProgram } from "./pause-program.ts";

export interface PauseImage {
  /** `berg.local/pause:<hash>`: another program has another name. */
  readonly name: string;
  /** For the engine to load. */
  readonly archive: Buffer;
}

/** `architecture`: as the engine names it. One that is not known has no pods. */
export function pauseImage(architecture: string): PauseImage {
  const program = pauseProgram(architecture);
  const hash = createHash("sha256").update(program).digest("hex").slice(0, 12);
  const name = `berg.local/pause:${hash}`;
  const layers = [{ "/pause": { content: program, mode: 0o755 } }];
  return { name, archive: imageArchive({ name, layers, entrypoint: ["/pause"], architecture }) };
}
