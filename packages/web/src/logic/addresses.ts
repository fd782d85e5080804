/** How a player reaches a service of an instance: a link for what speaks HTTP, else a command to paste into a shell. */
import type { Service } from "@berg/api/wire";

export type Address = { kind: "link"; href: string } | { kind: "command"; command: string };

export function addressOf({ hostname, port, protocol, appProtocol, tls }: Service): Address {
  const isTls = tls || appProtocol === "https" || appProtocol.startsWith("tls+");
  if (/^(tls\+)?https?$/.test(appProtocol)) {
    // URL leaves out the default port.
    return { kind: "link", href: new URL(`${isTls ? "https" : "http"}://${hostname}:${port}/`).href };
  }
  if (appProtocol === "ssh") return command(`ssh -p ${port} ${hostname}`);
  if (protocol === "udp") return command(`nc -u ${hostname} ${port}`);
  if (isTls) return command(`ncat --ssl ${hostname} ${port}`);
  return command(`nc ${hostname} ${port}`);
}

function command(text: string): Address {
  return { kind: "command", command: text };
}
