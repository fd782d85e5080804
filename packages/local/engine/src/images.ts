/** Images: what is known of one, getting it from a registry, taking it from an archive. */
import { Readable } from "node:stream";
import { type ImageAnswer, imageOf } from "./answers.ts";
import {
  EngineError,
  type Image,
  type ImageSummary,
  type Labels,
  type PullOptions,
  type RegistryAuth,
} from "./engine.ts";
import { filtersOf } from "./filters.ts";
import { readJsonLines } from "./json-lines.ts";
import type { Session, SessionCall } from "./session.ts";

/** One line of what an engine reports of a pull or a load. */
interface Report {
  status?: string;
  id?: string;
  progress?: string;
  stream?: string;
  error?: string;
  errorDetail?: { message?: string };
}

/** How long a pull may say nothing: a registry that hangs must not hold a pod for ever. */
const quietMs = 300_000;

export async function inspectImage(session: Session, name: string, signal?: AbortSignal): Promise<Image | undefined> {
  const body = await session.find({
    what: `inspect image ${name}`,
    method: "GET",
    path: `${pathOf(name)}/json`,
    signal,
  });
  return body === undefined ? undefined : imageOf(body as ImageAnswer);
}

export async function listImages(session: Session, labels: Labels, signal?: AbortSignal): Promise<ImageSummary[]> {
  const query = { filters: filtersOf(labels) };
  const { body } = await session.send({ what: "list images", method: "GET", path: "/images/json", query, signal });
  const listed = (body ?? []) as { RepoTags?: string[] | null; Labels?: Labels | null }[];
  return listed.map(({ RepoTags, Labels }) => ({ names: RepoTags ?? [], labels: Labels ?? {} }));
}

export async function removeImage(session: Session, name: string, signal?: AbortSignal): Promise<void> {
  await session.find({ what: `remove image ${name}`, method: "DELETE", path: pathOf(name), signal });
}

function pathOf(name: string): string {
  return `/images/${name.split("/").map(encodeURIComponent).join("/")}`;
}

export async function pullImage(session: Session, name: string, options: PullOptions, signal?: AbortSignal) {
  const { auth, onProgress } = options;
  await report(
    session,
    {
      what: `pull image ${name}`,
      method: "POST",
      path: "/images/create",
      query: querySplit(name),
      headers: auth ? { "X-Registry-Auth": encode(auth) } : {},
      signal,
    },
    ({ id, status, progress }) => {
      const text = [id, [status, progress].filter(Boolean).join(" ")].filter(Boolean).join(": ");
      if (text) onProgress?.(text.trim());
    },
  );
}

export async function loadImage(
  session: Session,
  archive: AsyncIterable<Uint8Array> | Uint8Array,
  signal?: AbortSignal,
): Promise<void> {
  await report(session, {
    what: "load an image",
    method: "POST",
    path: "/images/load",
    query: { quiet: true },
    archive: Readable.from(archive instanceof Uint8Array ? pieces(archive) : archive, { objectMode: false }),
    signal,
  });
}

/** Reads what the engine says until it is done. That it went wrong is said there, after the engine has agreed. */
export async function report(
  session: Session,
  call: SessionCall,
  onReport: (report: Report) => void = () => {},
): Promise<void> {
  const response = await session.open({ deadlineMs: quietMs, ...call });
  let last = session.clock.setTimer(quietMs, () => response.destroy(new Error("quiet")));
  try {
    for await (const line of readJsonLines(response)) {
      last.cancel();
      last = session.clock.setTimer(quietMs, () => response.destroy(new Error("quiet")));
      const said = (line ?? {}) as Report;
      const error = said.error ?? said.errorDetail?.message;
      if (error) throw new EngineError(`cannot ${call.what}: ${error.trim()}`, response.statusCode ?? 0);
      onReport(said);
    }
  } catch (error) {
    call.signal?.throwIfAborted();
    if (error instanceof EngineError) throw error;
    throw new EngineError(`cannot ${call.what}: the engine stopped answering`, 0, error);
  } finally {
    last.cancel();
    response.destroy();
  }
}

/** Without a tag, Docker would pull all of them. */
function querySplit(name: string): { fromImage: string; tag?: string } {
  if (name.includes("@")) return { fromImage: name };
  const colon = name.lastIndexOf(":");
  return colon > name.lastIndexOf("/")
    ? { fromImage: name.slice(0, colon), tag: name.slice(colon + 1) }
    : { fromImage: name, tag: "latest" };
}

/** Base64 for URLs with its padding: without it, engines read no sign-in at all, and do not say so. */
function encode(auth: RegistryAuth): string {
  return Buffer.from(JSON.stringify(auth)).toString("base64").replaceAll("+", "-").replaceAll("/", "_");
}

const pieceSize = 1024 * 1024;

export function* pieces(archive: Uint8Array | readonly Uint8Array[]): Iterable<Uint8Array> {
  for (const part of archive instanceof Uint8Array ? [archive] : archive) {
    for (let start = 0; start < part.length; start += pieceSize) yield part.subarray(start, start + pieceSize);
  }
}
