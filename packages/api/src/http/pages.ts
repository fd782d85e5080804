/** Serves the built pages. Their assets carry a hash of their content in their names, so that browsers may keep them. */
import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { ProblemError } from "../problems.ts";
import { sendProblem } from "./errors.ts";
import type { KnownRoutes } from "./known-routes.ts";
import { pathOf } from "./path.ts";

const year = 365 * 24 * 3600;

/** `directory` undefined: there are no pages, and `reason` says why. */
export type Pages = { directory: string } | { directory?: undefined; reason: string };

export async function addPages(
  app: FastifyInstance,
  { pages, publicUrl, routes }: { pages: Pages; publicUrl: string; routes: KnownRoutes },
): Promise<void> {
  const directory = pages.directory;
  const index = directory === undefined ? undefined : await IndexPage.read(directory);
  if (directory !== undefined) {
    await app.register(fastifyStatic, {
      root: directory,
      wildcard: false,
      preCompressed: true,
      index: false,
      setHeaders(response, path) {
        const isAsset = path.includes("/assets/");
        response.header("cache-control", isAsset ? `public, max-age=${year}, immutable` : "no-cache");
      },
    });
  }
  app.setNotFoundHandler((request, reply) => {
    if (!isPage(request)) {
      const path = pathOf(request.url);
      const allowed = routes.methodsAt(path);
      if (allowed.length > 0) {
        const detail = `${path} does not take ${request.method}. Use ${allowed.join(", ")}.`;
        return sendProblem(
          reply.header("allow", allowed.join(", ")),
          new ProblemError("method_not_allowed", detail).problem,
        );
      }
      const detail = `There is nothing at ${request.method} ${path}.`;
      return sendProblem(reply, new ProblemError("not_found", detail).problem);
    }
    const elsewhere = otherHost(request, publicUrl);
    if (elsewhere !== undefined) return reply.redirect(elsewhere, 302);
    return index === undefined ? sendMissing(reply, pages) : index.send(request, reply);
  });
}

/** Held in memory: it answers the first request of every view, whatever its path. */
class IndexPage {
  readonly #plain: string;
  readonly #gzip: Buffer;
  readonly #brotli: Buffer;
  readonly #etag: string;

  constructor(plain: string) {
    this.#plain = plain;
    this.#gzip = gzipSync(plain, { level: 9 });
    this.#brotli = brotliCompressSync(plain);
    this.#etag = `W/"${hash("sha256", plain, "base64url").slice(0, 16)}"`;
  }

  static async read(directory: string): Promise<IndexPage> {
    return new IndexPage(await readFile(join(directory, "index.html"), "utf8"));
  }

  send({ headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
    reply.header("cache-control", "no-cache").header("etag", this.#etag).header("vary", "accept-encoding");
    if (headers["if-none-match"] === this.#etag) return reply.status(304).send();
    reply.header("content-type", "text/html; charset=utf-8");
    const accepted = String(headers["accept-encoding"] ?? "");
    if (/\bbr\b(?!;q=0)/.test(accepted)) return reply.header("content-encoding", "br").send(this.#brotli);
    if (/\bgzip\b(?!;q=0)/.test(accepted)) return reply.header("content-encoding", "gzip").send(this.#gzip);
    return reply.send(this.#plain);
  }
}

/** Every path that is no file and not of the API is a route of the pages. */
function isPage({ method, url }: FastifyRequest): boolean {
  return (method === "GET" || method === "HEAD") && !/^\/api(\/|$|\?)/.test(url) && !/^\/assets\//.test(url);
}

/** Under another name of this machine the session cookie and the Origin would not be ours: go to the one that is. */
function otherHost({ host, url }: FastifyRequest, publicUrl: string): string | undefined {
  return publicUrl.endsWith(`//${host}`) ? undefined : `${publicUrl}${url}`;
}

function sendMissing(reply: FastifyReply, pages: Pages): FastifyReply {
  const reason = "reason" in pages ? pages.reason : "";
  return reply.status(503).type("text/plain; charset=utf-8").send(`The pages of Berg are not built: ${reason}\n`);
}
