import { parseTime } from "@berg/apimachinery";
import type { CompetitionSpec } from "@berg/resources";
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { ApiContext } from "../context.ts";
import { sendJson } from "../http/json-text.ts";
import { requireReader } from "../sessions/authenticate.ts";
import { type Metadata, metadata, problem } from "../wire.ts";
import { allowsAnonymousReading } from "./rules.ts";

/** On the wire every competition has a start and an end. */
const always = "1970-01-01T00:00:00Z";
const never = "9999-12-31T23:59:59Z";

export function addMetadataRoutes(app: FastifyInstance, context: ApiContext): void {
  const json = new MetadataJson();
  app.withTypeProvider<ZodTypeProvider>().get(
    "/api/metadata",
    {
      preHandler: requireReader,
      schema: {
        summary: "The competition and its rules",
        tags: ["competition"],
        response: { 200: metadata, 401: problem },
      },
    },
    (_, reply) => sendJson(reply, json.of(context)),
  );
}

/** Serialises `presentMetadata` once for each version of the rules. Only the server's time differs between answers. */
class MetadataJson {
  readonly #texts = new WeakMap<CompetitionSpec, string>();

  of(context: ApiContext): string {
    const spec = context.competition();
    let text = this.#texts.get(spec);
    if (text === undefined) {
      const { serverTime: _, ...lasting } = presentMetadata(context);
      text = JSON.stringify(lasting).slice(0, -1);
      this.#texts.set(spec, text);
    }
    return `${text},"serverTime":"${new Date(context.clock.now()).toISOString()}"}`;
  }
}

export function presentMetadata({ competition, settings, clock }: ApiContext): Metadata {
  const spec = competition();
  const { scoring, freeze, pause } = spec;
  return {
    version: settings.version,
    eventName: spec.title,
    eventOrganiser: spec.organiser,
    eventLogoUrl: spec.logoUrl ?? "",
    allowAnonymousAccess: allowsAnonymousReading(spec),
    start: iso(spec.start ?? always),
    end: iso(spec.end ?? never),
    playerAttributes: presentAttributes(spec),
    freezeStart: freeze ? iso(freeze.start) : null,
    freezeEnd: freeze ? iso(freeze.end ?? never) : null,
    teams: spec.teams.enabled,
    challengeMaximumValue: scoring.maximum,
    challengeMinimumValue: scoring.minimum,
    challengeSolvesBeforeMinimum: scoring.solvesBeforeMinimum,
    links: spec.links,
    pauseStart: pause ? iso(pause.start) : null,
    pauseEnd: pause?.end === undefined ? null : iso(pause.end),
    afterEnd: spec.afterEnd,
    serverTime: new Date(clock.now()).toISOString(),
  };
}

export function presentAttributes({ playerAttributes }: CompetitionSpec): Metadata["playerAttributes"] {
  return playerAttributes.map(({ name, title, description, public: isPublic, required, values }) => ({
    ...{ name, title: title || name, description, public: isPublic, required },
    values: values.map(({ value, title, description }) => ({ value, title: title || value, description })),
  }));
}

function iso(time: string): string {
  return new Date(parseTime(time)).toISOString();
}
