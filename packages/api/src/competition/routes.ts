import { formatTime } from "@berg/apimachinery";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { ApiContext } from "../context.ts";
import { type Metadata, metadata } from "../wire.ts";

/** On the wire every competition has an end. */
const never = Date.UTC(9999, 11, 31, 23, 59, 59);

export function addMetadataRoutes(app: FastifyInstance, context: ApiContext): void {
  app
    .withTypeProvider<ZodTypeProvider>()
    .get(
      "/api/metadata",
      { schema: { summary: "The competition and its rules", tags: ["competition"], response: { 200: metadata } } },
      () => presentMetadata(context),
    );
}

export function presentMetadata({ competition, settings, clock }: ApiContext): Metadata {
  const { eventName, eventOrganiser, eventLogoUrl, start, end = never, allowAnonymousAccess } = competition;
  return {
    version: settings.version,
    ...{ eventName, eventOrganiser, eventLogoUrl, allowAnonymousAccess },
    start: formatTime(start),
    end: formatTime(end),
    playerAttributes: [],
    freezeStart: null,
    freezeEnd: null,
    teams: false,
    challengeMaximumValue: 500,
    challengeMinimumValue: 100,
    challengeSolvesBeforeMinimum: 50,
    links: [],
    pauseStart: null,
    pauseEnd: null,
    afterEnd: "closed",
    serverTime: new Date(clock.now()).toISOString(),
  };
}
