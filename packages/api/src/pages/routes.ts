import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { ApiContext } from "../context.ts";
import { requireReader } from "../sessions/authenticate.ts";
import { page, problem } from "../wire.ts";
import { presentPage } from "./present.ts";

export function addPageRoutes(app: FastifyInstance, context: ApiContext): void {
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
    () => {
      const pages = context.caches().pages.list().map(presentPage);
      return pages.sort((one, other) => one.index - other.index || (one.path < other.path ? -1 : 1));
    },
  );
}
