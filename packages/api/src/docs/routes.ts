/** `/api/docs`: the reference of the API for people. It is made once, when somebody asks for it. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { securityHeaders } from "../http/security-headers.ts";
import { type OpenApiDocument, renderDocs, styleSheet } from "./render.ts";

export function addDocs(app: FastifyInstance, document: () => unknown): void {
  const schema = { hide: true };
  let page: string | undefined;
  app.get("/api/docs", { schema }, (_, reply) => {
    page ??= renderDocs(document() as OpenApiDocument, securityHeaders);
    return reply.type("text/html; charset=utf-8").send(page);
  });
  app.get(styleSheet, { schema }, async (_, reply) =>
    reply.type("text/css; charset=utf-8").send(await readFile(join(import.meta.dirname, "style.css"), "utf8")),
  );
}
