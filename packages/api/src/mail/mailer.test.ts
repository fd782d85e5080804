/** With a real SMTP server on loopback; its certificate is the one that smtp-server brings, which no one trusts. */
import { expect, test } from "vitest";
import type { DeliveryError } from "../outbox/worker.ts";
import { TestSmtpServer } from "../testing/smtp-server.ts";
import { lostLinksMail } from "./lost-links-mail.ts";
import { createMailer } from "./mailer.ts";
import type { MailSettings } from "./settings.ts";

const link = `https://ctf.example.com/sign-in#${"x".repeat(43)}`;
const mail = lostLinksMail({
  to: "ada@example.com",
  eventTitle: "Winter\r\nBcc: eve@example.com",
  publicUrl: "https://ctf.example.com",
  accounts: [
    { name: "<i>Ada", link },
    { name: "Win at https://evil.example/x", link },
  ],
  minutes: 15,
});
const send = (settings: MailSettings) => createMailer(settings)(mail, new AbortController().signal);
const failure = (settings: MailSettings) => send(settings).catch((error: DeliveryError) => [error.kind, error.code]);

test("a mail says in plain words what it is for, as text and as HTML", async () => {
  await using smtp = await TestSmtpServer.start();
  await send(smtp.settings);
  const [{ text, to } = { text: "", to: [] }] = smtp.received;
  expect(to).toEqual(["ada@example.com"]);
  for (const part of [
    "From: CTF <noreply@ctf.example.com>",
    "Subject: Sign in to Winter Bcc: eve@example.com",
    "Auto-Submitted: auto-generated",
    "Content-Type: text/plain",
    "Content-Type: text/html",
    link,
    `<a href="${link}">Sign in as &lt;i&gt;Ada</a>`,
    "Each link works once, for 15 minutes.",
  ]) {
    expect(text).toContain(part);
  }
  expect(text).not.toMatch(/^Bcc:/m);
  // A stranger's name must not become a link.
  expect(text).not.toContain("evil.example");
});

test("a user and a password are sent where the server asks for them; a wrong one is tried again later", async () => {
  await using smtp = await TestSmtpServer.start({
    disabledCommands: ["STARTTLS"],
    authOptional: false,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _, done) =>
      password === "right" ? done(null, { user: username ?? "" }) : done(new Error("wrong")),
  });
  await send({ ...smtp.settings, auth: { user: "me", pass: "right" } });
  expect(smtp.received).toMatchObject([{ user: "me" }]);
  const wrong = await failure({ ...smtp.settings, auth: { user: "me", pass: "wrong" } });
  expect(wrong).toEqual(["unreachable", expect.stringMatching(/^EAUTH 535/)]);
});

test("nothing is sent where TLS is required and the server has none", async () => {
  await using smtp = await TestSmtpServer.start();
  expect(await failure({ ...smtp.settings, tls: "starttls" })).toEqual(["unreachable", expect.stringMatching(/^ETLS/)]);
  expect(smtp.received).toEqual([]);
});

test.each(["starttls", "implicit"] as const)("nothing is sent to a server that no one vouches for: %s", async (tls) => {
  await using smtp = await TestSmtpServer.start({ disabledCommands: ["AUTH"], secure: tls === "implicit" });
  expect(await failure({ ...smtp.settings, tls })).toEqual(["unreachable", expect.any(String)]);
  expect(smtp.received).toEqual([]);
});
