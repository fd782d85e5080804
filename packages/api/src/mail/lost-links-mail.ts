/** The mail with the sign-in links of an address. */
import type { Mail } from "./mailer.ts";

export interface LostLinks {
  to: string;
  eventTitle: string;
  publicUrl: string;
  accounts: readonly { name: string; link: string }[];
  minutes: number;
}

export function lostLinksMail({ to, eventTitle, publicUrl, accounts, minutes }: LostLinks): Mail {
  const event = oneLine(eventTitle) || new URL(publicUrl).host;
  const asked = `You asked for a link to sign in to ${event}.`;
  const rules = `Each link works once, for ${minutes} minutes.`;
  const ignore = "If you did not ask for it, ignore this mail. Do not forward it: the link signs in as you.";
  const named = accounts.map(({ name, link }) => ({ name: withoutLinks(oneLine(name)), link }));
  const paragraph = (html: string) => `<p>${html}</p>`;
  return {
    to,
    subject: `Sign in to ${event}`,
    text: [asked, ...named.map(({ name, link }) => `Sign in as ${name}:\n${link}`), rules, ignore].join("\n\n"),
    html: [
      "<!doctype html>",
      paragraph(escapeHtml(asked)),
      ...named.map(({ name, link }) =>
        paragraph(`<a href="${escapeHtml(link)}">Sign in as ${escapeHtml(name)}</a><br>${escapeHtml(link)}`),
      ),
      paragraph(escapeHtml(rules)),
      paragraph(escapeHtml(ignore)),
    ].join("\n"),
  };
}

/** A stranger may register with this address and any name: mail programs must not make a link of it. */
function withoutLinks(name: string): string {
  return name.replace(/[./:@\\]+(?=\S)/g, " ").trim();
}

function oneLine(text: string): string {
  return text.replace(/[\s\p{C}]+/gu, " ").trim();
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? "");
}
