import type { ApiContext } from "../context.ts";
import { createMailer } from "../mail/mailer.ts";
import type { MailSettings } from "../mail/settings.ts";
import type { ApiMetrics } from "../metrics.ts";
import { deliverLostLinks } from "../sign-in/lost-links.ts";
import { OutboxWorker } from "./worker.ts";

/** The outbox with a way to deliver each kind of message. It delivers once `run` is called. */
export function createOutbox(
  context: Pick<ApiContext, "db" | "settings" | "clock" | "log" | "competition">,
  mail: MailSettings,
  metrics?: ApiMetrics,
): OutboxWorker {
  const { db, clock, log } = context;
  const deliver = { "lost-links": deliverLostLinks(context, createMailer(mail)) };
  return new OutboxWorker({ db, clock, log, metrics, deliver });
}
