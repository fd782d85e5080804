import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { ApiContext } from "../context.ts";
import { ListJson, sendJson } from "../http/json-text.ts";
import { requireReader } from "../sessions/authenticate.ts";
import { page, problem } from "../wire.ts";
import { normalPath, presentPage } from "./present.ts";

export function addPageRoutes(app: FastifyInstance, context: ApiContext): void {
  const json = new ListJson(presentPage);
  app.withTypeProvider<ZodTypeProvider>().get(
    "/api/pages",
    {
      preHandler: requireReader,
      schema: {
        summary: "The pages of the organiser",
        tags: ["competition"],
        response: { 200: z.array(page), 401: problem },
      },
    },
    (_, reply) => {
      const pages = context
        .caches()
        .pages.list()
        .toSorted(
          ({ spec: one }, { spec: other }) =>
            one.index - other.index || (normalPath(one.path) < normalPath(other.path) ? -1 : 1),
        );
      return sendJson(reply, json.of(pages));
    },
  );
}
