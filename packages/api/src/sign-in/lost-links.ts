/**
 * Lost sign-in links, by mail. The request stores the address and nothing else, whether or not an account has it: neither
 * the answer nor its time shows which addresses are known. The worker of the outbox looks for the accounts and creates
 * their links when the mail is sent, so that no link is stored.
 */
import type { FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { z } from "zod";
import type { ApiContext } from "../context.ts";
import type { RateLimits } from "../http/rate-limit.ts";
import { lostLinksMail } from "../mail/lost-links-mail.ts";
import type { SendMail } from "../mail/mailer.ts";
import type { Deliver } from "../outbox/worker.ts";
import { findLocalPlayersByEmail } from "../players/store.ts";
import { ProblemError } from "../problems.ts";
import { lostLinkRequest, problem } from "../wire.ts";
import { createLink, linkOf, oneTimeMs } from "./store.ts";

/** Of one address. */
const mostAccounts = 10;

export function addLostLinkRoutes(app: FastifyInstance, context: ApiContext, limits: RateLimits): void {
  const routes = app.withTypeProvider<ZodTypeProvider>();
  routes.post(
    "/api/sign-in/lost",
    {
      schema: {
        summary: "Mail one-time sign-in links to the accounts with this address; the answer is always the same",
        tags: ["sign-in"],
        body: lostLinkRequest,
        response: {
          202: z.null().describe("If an account has this address, a mail is on its way."),
          404: problem,
          429: problem,
        },
      },
    },
    async ({ body: { email }, ip }, reply) => {
      const outbox = requireMail(context);
      limits.take("lost-link", ip);
      limits.take("lost-link-email", email);
      await outbox.enqueue(context.db, "lost-links", { email });
      void outbox.run();
      return reply.status(202).send(null);
    },
  );
}

/** Throws a problem where no mail server is configured. */
export function requireMail({ outbox }: ApiContext, field?: string): NonNullable<ApiContext["outbox"]> {
  if (outbox) return outbox;
  const detail = "This server sends no mail. Ask the organiser for a sign-in link.";
  throw new ProblemError("mail_not_configured", detail, field === undefined ? {} : { field });
}

export function deliverLostLinks(
  { db, clock, settings, competition }: Pick<ApiContext, "db" | "clock" | "settings" | "competition">,
  send: SendMail,
): Deliver {
  const { publicUrl } = settings;
  return async (body, signal) => {
    const { email } = lostLinkRequest.parse(body);
    const accounts: { name: string; link: string }[] = [];
    for (const { id, name } of await findLocalPlayersByEmail(db, email, mostAccounts)) {
      const create = () =>
        db.transaction().execute((transaction) => createLink(transaction, id, "one-time", clock.now()));
      accounts.push({ name, link: linkOf(publicUrl, await create()) });
    }
    if (accounts.length === 0) return "skipped";
    const { title } = competition();
    await send(
      lostLinksMail({ to: email, eventTitle: title, publicUrl, accounts, minutes: oneTimeMs / 60_000 }),
      signal,
    );
    return "sent";
  };
}
