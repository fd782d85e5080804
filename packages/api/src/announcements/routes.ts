/** Messages of the organiser that every page shows. */
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { recordAudit } from "../audit/store.ts";
import type { ApiContext } from "../context.ts";
import type { AnnouncementRow } from "../database/schema.ts";
import { ProblemError } from "../problems.ts";
import { requireReader, requireRole } from "../sessions/authenticate.ts";
import { newId } from "../submissions/store.ts";
import { announcement, announcementRequest, problem } from "../wire.ts";
import { listAnnouncements, presentAnnouncement } from "./store.ts";

export function addAnnouncementRoutes(app: FastifyInstance, { db, clock, replicas }: ApiContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const tags = ["announcements"];
  const refused = { 400: problem, 401: problem, 403: problem };

  routes.get(
    "/api/announcements",
    {
      preHandler: requireReader,
      schema: { summary: "Announcements, newest first", tags, response: { 200: z.array(announcement), 401: problem } },
    },
    async () => (await listAnnouncements(db)).map(presentAnnouncement),
  );
  routes.post(
    "/api/admin/announcements",
    {
      schema: {
        summary: "Announce something to everybody; for admins",
        tags,
        body: announcementRequest,
        response: { 201: announcement, ...refused },
      },
    },
    async (request, reply) => {
      const { id: actorId } = requireRole(request, "admin");
      const at = clock.now();
      const { title, content } = request.body;
      const row: AnnouncementRow = { id: newId(at), at, title, content, created_by: actorId, deleted_at: null };
      await replicas.transact(async (transaction, announce) => {
        announce({ kind: "announcement", id: row.id });
        await transaction.insertInto("announcement").values(row).execute();
        const after = { title, content };
        await recordAudit(transaction, { actorId, action: "announcement.create", target: row.id, after, at });
      });
      return reply.status(201).send(presentAnnouncement(row));
    },
  );
  routes.delete(
    "/api/admin/announcements/:id",
    {
      schema: {
        summary: "Withdraw an announcement; for admins",
        tags,
        params: z.object({ id: z.string().max(64) }),
        response: { 204: z.null().describe("Done."), ...refused, 404: problem },
      },
    },
    async (request, reply) => {
      const { id: actorId } = requireRole(request, "admin");
      const { id } = request.params;
      const at = clock.now();
      await replicas.transact(async (transaction, announce) => {
        announce({ kind: "announcement", id });
        const deleted = await transaction
          .updateTable("announcement")
          .set({ deleted_at: at })
          .where("id", "=", id)
          .where("deleted_at", "is", null)
          .returning(["title", "content"])
          .executeTakeFirst();
        if (!deleted) throw new ProblemError("not_found", `There is no announcement "${id}".`);
        await recordAudit(transaction, { actorId, action: "announcement.delete", target: id, before: deleted, at });
      });
      return reply.status(204).send(null);
    },
  );
}
