import { describe, expect, test } from "vitest";
import { readMailSettings } from "./settings.ts";

const from = "CTF <noreply@example.com>";
const sender = { name: "CTF", address: "noreply@example.com" };
const read = (SMTP_URL?: string, MAIL_FROM: string | undefined = from) => readMailSettings({ SMTP_URL, MAIL_FROM });

test("there is no mail without a server", () => {
  expect(readMailSettings({})).toBeUndefined();
  expect(readMailSettings({ SMTP_URL: " ", MAIL_FROM: "" })).toBeUndefined();
});

test.each([
  ["smtps://mail.example.com", { port: 465, tls: "implicit", auth: undefined }],
  ["smtp://mail.example.com", { port: 587, tls: "starttls" }],
  ["smtp://mail.example.com:25", { port: 25, tls: "starttls" }],
  ["smtp://mail.example.com/?tls=off", { port: 587, tls: "none" }],
  ["smtp://localhost:1025", { host: "localhost", tls: "none" }],
  ["smtp://127.0.0.2", { tls: "none" }],
  ["smtp://[::1]:25", { host: "::1", tls: "none" }],
  ["smtps://localhost", { tls: "implicit" }],
  ["smtp://127.example.com", { tls: "starttls" }],
  ["smtps://me%40example.com:p%2Fw%25@mail.example.com", { auth: { user: "me@example.com", pass: "p/w%" } }],
])("%s", (url, want) => {
  expect(read(url)).toMatchObject({
    host: "mail.example.com",
    ...(/local|127|::1/.test(url) && { host: expect.any(String) }),
    from: sender,
    ...want,
  });
});

test.each([
  ["noreply@example.com", { name: "", address: "noreply@example.com" }],
  ['"My CTF" <a@b.example>', { name: "My CTF", address: "a@b.example" }],
  ["<a@b.example>", { name: "", address: "a@b.example" }],
])("the sender %s", (text, want) => {
  expect(read("smtps://mail.example.com", text)?.from).toEqual(want);
});

describe("is refused, without the password:", () => {
  test.each([
    ["https://u:s3cret@mail.example.com", from, "cannot read SMTP_URL: it is not a URL such as"],
    ["u:s3cret@mail.example.com", from, "cannot read SMTP_URL: it is not a URL such as"],
    ["smtps://", from, "cannot read SMTP_URL: it is not a URL such as"],
    ["smtps://u:s3cret@mail.example.com/path", from, "a path or a fragment has no meaning here"],
    ["smtps://u:s3cret@mail.example.com?tls=no", from, "the only parameter is tls=off"],
    ["smtps://mail.example.com?tls=off", from, "smtps:// always uses TLS"],
    ["smtp://u:s3cret@mail.example.com?tls=off", from, "would send the password in clear text"],
    ["smtps://s3cret@mail.example.com", from, "both a user and a password"],
    ["smtps://u:s3cret%@mail.example.com", from, "must be escaped as %25"],
    ["smtps://mail.example.com", "", "cannot read MAIL_FROM: it is not set"],
    ["smtps://mail.example.com", "CTF", 'cannot read MAIL_FROM: "CTF" is not a sender'],
    ["smtps://mail.example.com", "a@b.example, c@d.example", "is not a sender"],
    ["", from, "cannot use MAIL_FROM: SMTP_URL is not set"],
  ])("%s from %s", (url, sentFrom, want) => {
    const refused = () => readMailSettings({ SMTP_URL: url, MAIL_FROM: sentFrom });
    expect(refused).toThrow(want);
    expect(refused).not.toThrow("s3cret");
  });
});
