/** Flags that were submitted by others than their owners, for organisers to review. Nothing is punished by itself. */
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { recordAudit } from "../audit/store.ts";
import type { ApiContext } from "../context.ts";
import { isId } from "../players/store.ts";
import { ProblemError } from "../problems.ts";
import { requireRole } from "../sessions/authenticate.ts";
import { type Incident, incident, incidentRequest, incidents, incidentsQuery, problem } from "../wire.ts";
import { findIncident, type IncidentEvidence, pageOfIncidents } from "./store.ts";

export function addIncidentRoutes(app: FastifyInstance, { db, clock }: ApiContext): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const tags = ["admin"];
  const refused = { 400: problem, 401: problem, 403: problem, 404: problem };

  routes.get(
    "/api/admin/incidents",
    {
      schema: {
        summary: "Sharing incidents, newest first; for admins",
        tags,
        querystring: incidentsQuery,
        response: { 200: incidents, ...refused },
      },
    },
    async (request) => {
      requireRole(request, "admin");
      const { page, pageSize } = request.query;
      const { rows, total } = await pageOfIncidents(db, request.query);
      return { items: rows.map(presentIncident), total, page, pageSize };
    },
  );
  routes.patch(
    "/api/admin/incidents/:id",
    {
      schema: {
        summary: "Decide on an incident, or change its note; for admins",
        tags,
        params: z.object({ id: z.string().max(64) }),
        body: incidentRequest,
        response: { 200: incident, ...refused },
      },
    },
    async (request) => {
      const { id: actorId } = requireRole(request, "admin");
      const { id } = request.params;
      const at = clock.now();
      const changed = await db.transaction().execute(async (transaction) => {
        const before = isId(id) ? await findIncident(transaction, id) : undefined;
        if (!before) throw new ProblemError("not_found", `There is no incident "${id}".`);
        const { state = before.state, note = before.note } = request.body;
        const decided =
          state === "open" ? { decided_by: null, decided_at: null } : { decided_by: actorId, decided_at: at };
        await transaction
          .updateTable("incident")
          .set({ state, note, ...(state !== before.state && decided) })
          .where("id", "=", id)
          .execute();
        const audited = { before: { state: before.state, note: before.note }, after: { state, note } };
        await recordAudit(transaction, { actorId, action: "incident.decide", target: id, ...audited, at });
        return findIncident(transaction, id);
      });
      if (!changed) throw new Error(`the incident ${id} is gone within its transaction`);
      return presentIncident(changed);
    },
  );
}

function presentIncident(row: IncidentEvidence): Incident {
  const iso = (time: number | null) => (time === null ? null : new Date(time).toISOString());
  return {
    id: row.id,
    at: new Date(row.at).toISOString(),
    challengeName: row.challenge_name,
    submitter: { playerId: row.player_id, name: row.submitter_name },
    scorerId: row.scorer_id,
    address: row.address,
    ownerId: row.owner_id,
    ownerName: row.team_name ?? row.owner_name ?? "",
    instanceId: row.instance_id,
    instanceStartedAt: new Date(row.started_at).toISOString(),
    instanceEndedAt: iso(row.terminated_at),
    state: row.state,
    note: row.note,
    decidedBy: row.decided_by,
    decidedAt: iso(row.decided_at),
  };
}
