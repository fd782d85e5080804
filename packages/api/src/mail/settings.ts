/** Through which server mail is sent, and from whom. */
import { isIPv4 } from "node:net";
import { ConfigurationError } from "@berg/kube";

export interface MailSettings {
  readonly host: string;
  readonly port: number;
  /** `implicit`: from the first byte. `starttls`: before anything else, or not at all. `none`: in clear text. */
  readonly tls: "implicit" | "starttls" | "none";
  readonly auth: { readonly user: string; readonly pass: string } | undefined;
  readonly from: { readonly name: string; readonly address: string };
}

/** The environment variables, with their defaults. */
export const mailVariables = [
  {
    name: "SMTP_URL",
    default: "",
    description:
      "mail server for lost sign-in links: smtps://user:password@host, or smtp:// with STARTTLS; ?tls=off without; empty: no mail",
  },
  {
    name: "MAIL_FROM",
    default: "",
    description: 'sender of mail, such as "CTF <noreply@example.com>"; required with SMTP_URL',
  },
] as const;

const longestAddress = 254;

/** Undefined without SMTP_URL. No mistake quotes the URL: it may contain a password. */
export function readMailSettings(env: Record<string, string | undefined>): MailSettings | undefined {
  const [url = "", from = ""] = mailVariables.map(({ name }) => env[name]?.trim());
  const mistakes: string[] = [];
  const read = <T>(name: string, parse: () => T): T | undefined => {
    try {
      return parse();
    } catch (error) {
      mistakes.push(`cannot read ${name}: ${(error as Error).message}`);
      return undefined;
    }
  };
  const server = url === "" ? undefined : read("SMTP_URL", () => readServer(url));
  const sender = url === "" && from === "" ? undefined : read("MAIL_FROM", () => readSender(from));
  if (url === "" && from !== "") mistakes.push("cannot use MAIL_FROM: SMTP_URL is not set, so no mail can be sent");
  if (mistakes.length > 0) throw new ConfigurationError(mistakes.join("\n"));
  return server && sender && { ...server, from: sender };
}

function readServer(text: string): Omit<MailSettings, "from"> {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== "smtp:" && url.protocol !== "smtps:") || url.hostname === "") {
    throw new Error("it is not a URL such as smtps://user:password@mail.example.com or smtp://mail.example.com:587");
  }
  if ((url.pathname !== "" && url.pathname !== "/") || url.hash !== "") {
    throw new Error("a path or a fragment has no meaning here; escape / and # in a password as %2F and %23");
  }
  const parameters = [...url.searchParams];
  const isOff = parameters.length === 1 && parameters[0]?.join("=") === "tls=off";
  if (parameters.length > 0 && !isOff) throw new Error("the only parameter is tls=off");
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const isImplicit = url.protocol === "smtps:";
  if (isImplicit && isOff) throw new Error("smtps:// always uses TLS; use smtp:// with tls=off");
  const auth = readAuth(url);
  if (isOff && auth && !isLoopback(host)) {
    throw new Error("tls=off would send the password in clear text; remove tls=off, or user and password");
  }
  return {
    host,
    port: url.port === "" ? (isImplicit ? 465 : 587) : Number(url.port),
    tls: isImplicit ? "implicit" : isOff || isLoopback(host) ? "none" : "starttls",
    auth,
  };
}

function readAuth({ username, password }: URL): MailSettings["auth"] {
  if (username === "" && password === "") return undefined;
  if (username === "" || password === "") throw new Error("it needs both a user and a password, or neither");
  try {
    return { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  } catch {
    throw new Error("a % in the user or password must be escaped as %25");
  }
}

function readSender(text: string): MailSettings["from"] {
  if (text === "")
    throw new Error('it is not set, and SMTP_URL is. Give the sender, such as "CTF <noreply@example.com>"');
  const [, name = "", bracketed, bare = ""] = /^(?:(.*?)\s*<([^<>]*)>|(\S+))$/u.exec(text) ?? [];
  const address = bracketed ?? bare;
  if (!/^[^\s@<>",;]+@[^\s@<>",;]+$/.test(address) || address.length > longestAddress || /\p{C}/u.test(name)) {
    throw new Error(`"${text}" is not a sender, such as "CTF <noreply@example.com>" or noreply@example.com`);
  }
  return { name: name.replace(/^"(.*)"$/, "$1"), address };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}
