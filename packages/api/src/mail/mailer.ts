/** Sends mail through an SMTP server. */
import { createTransport, type NodemailerError } from "nodemailer";
import { DeliveryError } from "../outbox/worker.ts";
import type { MailSettings } from "./settings.ts";

export interface Mail {
  to: string;
  subject: string;
  text: string;
  html: string;
}

/** Rejects with a DeliveryError. */
export type SendMail = (mail: Mail, signal: AbortSignal) => Promise<void>;

const stepMs = 10_000;

export function createMailer({ host, port, tls, auth, from }: MailSettings): SendMail {
  const transport = createTransport({
    ...{ host, port },
    secure: tls === "implicit",
    requireTLS: tls === "starttls",
    ignoreTLS: tls === "none",
    ...(auth && { auth: { ...auth } }),
    ...{ connectionTimeout: stepMs, greetingTimeout: stepMs, dnsTimeout: stepMs, socketTimeout: stepMs },
    // Nothing of a mail is ever read from a file or another server.
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
  return async (mail, signal) => {
    try {
      await transport.sendMail({
        ...{ ...mail, from: { ...from }, signal },
        // No vacation notes back (RFC 3834).
        headers: { "Auto-Submitted": "auto-generated" },
      });
    } catch (error) {
      throw deliveryErrorOf(error as NodemailerError);
    }
  };
}

/** Without the answer of the server, which often contains the address. */
function deliveryErrorOf({ code, responseCode }: NodemailerError): DeliveryError {
  const shown = [code ?? "UNKNOWN", responseCode].filter((part) => part !== undefined).join(" ");
  // The server did not like this very mail. What it has against our password is the organiser's to repair.
  const isAboutMail = code === "EENVELOPE" || code === "EMESSAGE";
  if (!isAboutMail) return new DeliveryError("unreachable", shown);
  // Without an answer, nodemailer itself refused the address.
  const isPermanent = responseCode === undefined || responseCode >= 500;
  return new DeliveryError(isPermanent ? "refused" : "temporary", shown);
}
