/**
 * The HTTP server. A request passes, in this order: limits → security headers → who asks, and from where (sessions/authenticate) →
 * the schema of its route → the route. Whatever is thrown on the way becomes a problem document (http/errors).
 */
import cookie from "@fastify/cookie";
import swagger from "@fastify/swagger";
import Fastify, { type FastifyInstance } from "fastify";
import { jsonSchemaTransform, serializerCompiler } from "fastify-type-provider-zod";
import { addAnnouncementRoutes } from "./announcements/routes.ts";
import { addAuditRoutes } from "./audit/routes.ts";
import { addChallengeRoutes } from "./challenges/routes.ts";
import { addMetadataRoutes } from "./competition/routes.ts";
import type { ApiContext } from "./context.ts";
import { addDocs } from "./docs/routes.ts";
import { addEvents } from "./events/socket.ts";
import { addHandoutRoutes } from "./handouts/routes.ts";
import { type HandoutSettings, readHandoutSettings } from "./handouts/settings.ts";
import { addHintRoutes } from "./hints/routes.ts";
import { addErrorHandler, answerUnreadable, sendProblem, unreadableUrl } from "./http/errors.ts";
import { KnownRoutes } from "./http/known-routes.ts";
import { addConnectionLimits, serverLimits } from "./http/limits.ts";
import { addPages, type Pages } from "./http/pages.ts";
import { RateLimits } from "./http/rate-limit.ts";
import { validateAnyCase } from "./http/request-keys.ts";
import { addRequestLog } from "./http/request-log.ts";
import { addSecurityHeaders } from "./http/security-headers.ts";
import { SharedLimits } from "./http/shared-limits.ts";
import { addIncidentRoutes } from "./incidents/routes.ts";
import { addInstanceAdminRoutes, addInstanceRoutes } from "./instances/routes.ts";
import type { ApiMetrics } from "./metrics.ts";
import { addModerationRoutes } from "./moderation/routes.ts";
import type { Provider } from "./openid/provider.ts";
import { addOpenidRoutes } from "./openid/routes.ts";
import { addPageRoutes } from "./pages/routes.ts";
import { addAdminPlayerRoutes } from "./players/admin-routes.ts";
import { addPlayerRoutes } from "./players/routes.ts";
import { addRegistrationRoutes } from "./registration/routes.ts";
import { addScoreboardRoutes } from "./scoreboard/routes.ts";
import { addAuthentication } from "./sessions/authenticate.ts";
import { addSessionRoutes } from "./sessions/routes.ts";
import { addLostLinkRoutes } from "./sign-in/lost-links.ts";
import { addSignInRoutes } from "./sign-in/routes.ts";
import { addSubmissionRoutes } from "./submissions/routes.ts";
import { addTeamRoutes } from "./teams/routes.ts";

export interface ServerParts {
  metrics?: ApiMetrics | undefined;
  handouts?: HandoutSettings | undefined;
  trustedProxies?: readonly string[] | undefined;
  /** Where players can sign in. */
  providers?: readonly Provider[] | undefined;
}

export async function createServer(
  context: ApiContext,
  pages: Pages,
  { metrics, handouts = readHandoutSettings({}), trustedProxies = [], providers = [] }: ServerParts = {},
): Promise<FastifyInstance> {
  const app = Fastify({
    ...serverLimits,
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    clientErrorHandler: answerUnreadable,
    // Longer than any URL that Node accepts: the schema of the route refuses it, as it does other values.
    routerOptions: { maxParamLength: 32_768 },
    frameworkErrors: (_, __, reply) => void sendProblem(reply, unreadableUrl.problem),
  });
  app.setValidatorCompiler(validateAnyCase);
  app.setSerializerCompiler(serializerCompiler);
  addErrorHandler(app, context.log);
  addConnectionLimits(app);
  addRequestLog(app, context.log, metrics);
  const routes = new KnownRoutes(app);
  addSecurityHeaders(app);
  await app.register(cookie);
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "Berg", description: "The API of Berg's pages.", version: context.settings.version },
      servers: [{ url: context.settings.publicUrl }],
    },
    transform: jsonSchemaTransform,
  });
  addAuthentication(app, context);
  const { areShared } = context.replicas;
  const rateLimits = new RateLimits(context.clock, areShared ? new SharedLimits(context.db) : undefined);
  // In a plugin of their own, so that the description of the API contains them.
  await app.register((routes, _, done) => {
    addMetadataRoutes(routes, context);
    addChallengeRoutes(routes, context);
    addHandoutRoutes(routes, context, { settings: handouts, limits: rateLimits });
    addPlayerRoutes(routes, context, rateLimits);
    addAdminPlayerRoutes(routes, context);
    addSessionRoutes(routes, context);
    addRegistrationRoutes(routes, context, rateLimits);
    addTeamRoutes(routes, context, rateLimits);
    addSubmissionRoutes(routes, context, rateLimits);
    addHintRoutes(routes, context, rateLimits);
    addScoreboardRoutes(routes, context);
    addIncidentRoutes(routes, context);
    addModerationRoutes(routes, context);
    addAnnouncementRoutes(routes, context);
    addAuditRoutes(routes, context);
    addInstanceRoutes(routes, context, rateLimits);
    addInstanceAdminRoutes(routes, context);
    addPageRoutes(routes, context);
    addSignInRoutes(routes, context, { limits: rateLimits, providers });
    addOpenidRoutes(routes, context, { limits: rateLimits, providers });
    addLostLinkRoutes(routes, context, rateLimits);
    addEvents(routes, context, trustedProxies);
    addDocs(routes, () => app.swagger());
    routes.get("/api/openapi.json", { schema: { hide: true } }, () => app.swagger());
    done();
  });
  await addPages(app, { pages, publicUrl: context.settings.publicUrl, routes });
  return app;
}
