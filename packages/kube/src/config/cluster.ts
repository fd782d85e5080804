import type { Entry } from "./entry.ts";
import { type Pem, pemOf } from "./pem.ts";

/** How to find a server and how to know that it is the right one. */
export interface Cluster {
  /** Base URL, without a trailing slash. */
  server: string;
  /** Unset: the certificate authorities that Node brings along. */
  ca?: Pem;
  servername?: string;
  skipVerify: boolean;
  /** Whatever the cluster's owner wants its credential plugin to know. */
  pluginConfig?: unknown;
}

const pluginExtension = "client.authentication.k8s.io/exec";

export function readCluster(entry: Entry): Cluster {
  if (entry.has("proxy-url")) {
    throw entry.wrong("has a proxy-url, which is not supported: remove it, and give a server that is reached directly");
  }
  const ca = pemOf(entry, "certificate-authority");
  const skipVerify = entry.flag("insecure-skip-tls-verify");
  if (ca && skipVerify) {
    throw entry.wrong("has both insecure-skip-tls-verify and a certificate-authority: remove the first");
  }
  const servername = entry.text("tls-server-name");
  const pluginConfig = entry
    .list("extensions")
    .find((item) => item.text("name") === pluginExtension)
    ?.raw("extension");
  return {
    server: serverUrl(entry),
    skipVerify,
    ...(ca && { ca }),
    ...(servername !== undefined && { servername }),
    ...(pluginConfig !== undefined && { pluginConfig }),
  };
}

function serverUrl(entry: Entry): string {
  const server = entry.text("server");
  if (server === undefined) throw entry.wrong("has no server");
  const url = URL.parse(server);
  if (!url || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw entry.wrong("has a wrong server: it is not a URL that begins with https:// (or http://)");
  }
  if (url.username !== "" || url.password !== "") {
    throw entry.wrong("has a user name or password in its server: they belong into the user's entry");
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}
