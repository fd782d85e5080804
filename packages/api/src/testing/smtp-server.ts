/**
 * A real SMTP server on loopback that keeps what it is given. smtp-server, since it can be told to answer with any code, to
 * hang and to ask for TLS or a password, which the servers that Debian packages cannot on request.
 */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import type { MailSettings } from "../mail/settings.ts";

export interface ReceivedMail {
  to: string[];
  from: string;
  /** Headers and body, with quoted-printable decoded. */
  text: string;
  user: string | undefined;
  isSecure: boolean;
}

export class TestSmtpServer implements AsyncDisposable {
  readonly received: ReceivedMail[] = [];
  /** Connections so far. */
  connections = 0;
  /** Answers the recipient, or the whole mail, with this code. */
  refuse: { recipient?: number; mail?: number } = {};
  /** While it is set, a connection waits for it before the greeting. */
  hold: Promise<void> | undefined;
  #server: SMTPServer;
  port = 0;

  /** Without TLS and password, unless `options` says otherwise. */
  static async start(options: SMTPServerOptions = {}, port = 0): Promise<TestSmtpServer> {
    const server = new TestSmtpServer(options);
    const listening = server.#server.listen(port, "127.0.0.1");
    await once(listening, "listening");
    server.port = (listening.address() as AddressInfo).port;
    return server;
  }

  private constructor(options: SMTPServerOptions) {
    const refusal = (code: number | undefined) =>
      code === undefined
        ? undefined
        : Object.assign(new Error("not <ada@example.com> at <secret.example.com>"), { responseCode: code });
    this.#server = new SMTPServer({
      ...{ logger: false, authOptional: true, disableReverseLookup: true, closeTimeout: 100 },
      disabledCommands: ["STARTTLS", "AUTH"],
      onConnect: (_, done) => {
        this.connections++;
        void Promise.resolve(this.hold).then(() => done());
      },
      onRcptTo: (_, __, done) => done(refusal(this.refuse.recipient)),
      onData: (stream, session, done) => {
        void text(stream).then((raw) => {
          const error = refusal(this.refuse.mail);
          if (error) return done(error);
          const { mailFrom, rcptTo } = session.envelope;
          this.received.push({
            to: rcptTo.map(({ address }) => address),
            from: mailFrom ? mailFrom.address : "",
            text: decodeQuotedPrintable(raw),
            user: typeof session.user === "string" ? session.user : undefined,
            isSecure: session.secure === true,
          });
          return done();
        });
      },
      ...options,
    });
    // A client that hangs up.
    this.#server.on("error", () => {});
  }

  get settings(): MailSettings {
    const from = { name: "CTF", address: "noreply@ctf.example.com" };
    return { host: "127.0.0.1", port: this.port, tls: "none", auth: undefined, from };
  }

  /** The links of all mails, in order. Each mail has every link in its text and twice in its HTML. */
  get links(): string[] {
    return this.received.flatMap(({ text: mail }) => [...new Set(mail.match(/https?:\/\/\S+#[\w-]{43}/g) ?? [])]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await new Promise<void>((done) => this.#server.close(() => done()));
  }
}

function decodeQuotedPrintable(raw: string): string {
  const joined = raw.replace(/=\r?\n/g, "");
  return joined.replace(/=([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
