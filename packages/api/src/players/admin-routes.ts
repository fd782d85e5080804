/** Accounts, for admins. */
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { ApiContext } from "../context.ts";
import { ProblemError } from "../problems.ts";
import { requireBrowser, requireRole } from "../sessions/authenticate.ts";
import {
  adminPlayer,
  adminPlayers,
  adminPlayersQuery,
  createdPlayer,
  createPlayerRequest,
  linkRequest,
  linksRequest,
  problem,
  rolesRequest,
  signInLink,
} from "../wire.ts";
import { createAccount, replaceLink, setRoles } from "./accounts.ts";
import { replaceLinksAsCsv } from "./links-csv.ts";
import { presentAdminPlayer } from "./present.ts";
import { findPlayer, searchPlayers } from "./store.ts";

export function addAdminPlayerRoutes(app: FastifyInstance, context: ApiContext): void {
  const { db, clock, replicas, settings } = context;
  const routes = app.withTypeProvider<ZodTypeProvider>();
  const deps = { db, clock, replicas, publicUrl: settings.publicUrl };
  const tags = ["admin"];
  const path = "/api/admin/players";
  const params = z.object({ id: z.string().max(64) });
  const problems = { 400: problem, 401: problem, 403: problem, 404: problem, 409: problem };

  routes.get(
    path,
    {
      schema: {
        summary: "All accounts; for admins",
        tags,
        querystring: adminPlayersQuery,
        response: { 200: adminPlayers, ...problems },
      },
    },
    async (request) => {
      requireRole(request, "admin");
      const { items, total } = await searchPlayers(db, request.query);
      const { page, pageSize } = request.query;
      return { items: items.map(presentAdminPlayer), total, page, pageSize };
    },
  );
  routes.post(
    path,
    {
      schema: {
        summary: "Create an account with a personal sign-in link; for admins",
        tags,
        body: createPlayerRequest,
        response: { 201: createdPlayer, ...problems },
      },
    },
    async (request, reply) => {
      requireRole(request, "admin");
      const { player, link } = await createAccount(deps, request.body);
      return reply.status(201).send({ player: presentAdminPlayer(player), link });
    },
  );
  routes.put(
    `${path}/:id/roles`,
    {
      schema: {
        summary: "Replace the roles of a player; a change ends sessions, sockets and API key; for admins",
        tags,
        params,
        body: rolesRequest,
        response: { 200: adminPlayer, ...problems },
      },
    },
    async (request) => {
      requireRole(request, "admin");
      return presentAdminPlayer(await setRoles(deps, request.params.id, request.body.roles));
    },
  );
  routes.post(
    `${path}/:id/link`,
    {
      schema: {
        summary: "A new sign-in link for a player; for admins",
        tags,
        params,
        body: linkRequest,
        response: { 200: signInLink, ...problems },
      },
    },
    async (request) => {
      const admin = requireRole(request, "admin");
      const { id } = request.params;
      // A key must not become a session of its own owner.
      if (id === admin.id) requireBrowser(request);
      if (!(await findPlayer(db, id))) throw new ProblemError("not_found", `There is no player "${id}".`);
      const { kind } = request.body;
      return { link: await replaceLink(deps, id, kind, id === admin.id ? request.sessionId : undefined), kind };
    },
  );
  routes.post(
    `${path}/links`,
    {
      schema: {
        summary: "Replace the personal links of many players; answers with a CSV of name, id and link; for admins",
        tags,
        body: linksRequest,
        response: { 200: z.string().describe("CSV (RFC 4180), UTF-8."), ...problems },
      },
    },
    async (request, reply) => {
      const admin = requireRole(request, "admin");
      const { playerIds } = request.body;
      // A key must not become a session of its own owner.
      if (playerIds.includes(admin.id)) requireBrowser(request);
      const csv = await replaceLinksAsCsv(deps, playerIds);
      reply.header("content-disposition", 'attachment; filename="sign-in-links.csv"');
      return reply.type("text/csv; charset=utf-8").serializer(String).send(csv);
    },
  );
}
