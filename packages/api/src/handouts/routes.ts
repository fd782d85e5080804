import type { Socket } from "node:net";
import { errorText } from "@berg/kube";
import type { FastifyInstance, FastifyReply } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import { readableChallenge } from "../challenges/routes.ts";
import type { ApiContext } from "../context.ts";
import type { RateLimits } from "../http/rate-limit.ts";
import { ProblemError } from "../problems.ts";
import { requireReader } from "../sessions/authenticate.ts";
import { problem } from "../wire.ts";
import { type Attachment, fileNameOf, sourceOf } from "./attachment.ts";
import { contentDisposition } from "./content-disposition.ts";
import { type OpenFile, openBelow } from "./file-source.ts";
import { HandoutError } from "./handout-error.ts";
import { ImageSource } from "./image-source.ts";
import type { HandoutSettings } from "./settings.ts";
import { recordDownload } from "./store.ts";

/** A pull into the cache may take that long before the first byte is sent. */
const firstByteMs = 10 * 60_000;
const retryAfter = 10;

export function addHandoutRoutes(
  app: FastifyInstance,
  context: ApiContext,
  { settings, limits }: { settings: HandoutSettings; limits: RateLimits },
): void {
  const { db, client, clock, log } = context;
  const { namespace } = context.settings;
  const images = new ImageSource({ settings, client, namespace, clock, log });
  app.addHook("onClose", () => images[Symbol.asyncDispose]());

  app.withTypeProvider<ZodTypeProvider>().get(
    "/api/challenges/:name/handout/:index",
    {
      preHandler: requireReader,
      schema: {
        summary: "Download a file of a challenge",
        tags: ["challenges"],
        params: z.object({
          name: z.string().max(253),
          index: z.string().max(10).describe("Index of the attachment, counted from 0 over all of them."),
        }),
        response: {
          200: z.any().describe("The bytes of the file, as application/octet-stream."),
          400: problem,
          401: problem,
          404: problem,
          502: problem,
        },
      },
    },
    async (request, reply) => {
      const { name, index } = request.params;
      limits.take("handout", request.player?.id ?? request.ip);
      const challenge = readableChallenge(context, name, request.player);
      const attachment = /^\d+$/.test(index) ? challenge.spec.attachments[Number(index)] : undefined;
      if (!attachment) throw new ProblemError("not_found", `The challenge "${name}" has no file ${index}.`);
      allowSilence(request.raw.socket);
      const file = await openAttachment(attachment, { name, index });
      try {
        if (request.method === "GET") {
          const download = { challenge_name: name, file_name: fileNameOf(attachment), at: clock.now() };
          await recordDownload(db, { ...download, player_id: request.player?.id ?? null });
        }
        return sendFile(reply, file, fileNameOf(attachment));
      } catch (error) {
        await file.handle.close();
        throw error;
      }
    },
  );

  async function openAttachment(attachment: Attachment, asked: { name: string; index: string }): Promise<OpenFile> {
    const source = sourceOf(attachment);
    try {
      const file =
        source?.kind === "file"
          ? await openBelow(settings.directories, source.segments)
          : source?.kind === "image" && (await images.open(source));
      if (file) return file;
    } catch (error) {
      const fields = { challenge: asked.name, attachment: asked.index, error: errorText(error) };
      if (!(error instanceof HandoutError)) throw error;
      log.warn(fields, "a handout cannot be fetched");
      const detail = "Try again later, and tell the organiser if it stays so.";
      throw new ProblemError("handout_unavailable", detail, { retryAfter });
    }
    if (source?.kind === "file") {
      log.warn({ challenge: asked.name, attachment: asked.index }, "a handout is in none of the handout directories");
    }
    throw new ProblemError("not_found", "The file is not here. Tell the organiser.");
  }
}

/** Until the next request on the connection. `inject()` has no socket. */
function allowSilence(socket: Partial<Socket>): void {
  socket.setTimeout?.(firstByteMs);
}

function sendFile(reply: FastifyReply, { handle, size }: OpenFile, fileName: string): FastifyReply {
  return reply
    .header("content-type", "application/octet-stream")
    .header("content-length", size)
    .header("content-disposition", contentDisposition(fileName))
    .serializer((body: unknown) => body as string)
    .send(size === 0 ? closing(handle) : handle.createReadStream({ start: 0, end: size - 1 }));
}

function closing(handle: OpenFile["handle"]): Buffer {
  void handle.close();
  return Buffer.alloc(0);
}
