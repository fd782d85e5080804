/** New connections to one server: each checked anew where it has to be, and as cheap as it can be where not. */
import { createSecureContext, type SecureContext } from "node:tls";
import { buildConnector } from "undici";
import type { Connection, TlsMaterial } from "../config/connection.ts";

const connectTimeoutMs = 10_000;

/** What connections with the same material have in common. */
interface Trust {
  material: TlsMaterial;
  context: SecureContext;
  /** The server's last: who resumes it need not see the server's certificate again. */
  session?: Buffer;
}

/**
 * Material is asked for at each new connection, so that rotated files are used without a restart. While it is the same,
 * sessions are resumed: where a hundred instances end at once, dozens of connections are made for that, and a handshake
 * from scratch takes both sides longer than the request. No session outlives the CA by which its server was checked.
 */
export function connectorTo(connection: Connection): buildConnector.connector {
  let trust: Trust | undefined;
  return (target, callback) => {
    connection
      .tls()
      .then((material) => {
        if (!trust || !isSame(trust.material, material)) trust = { material, context: createSecureContext(material) };
        open(trust)(target, callback);
      })
      .catch((error) => callback(error, null));
  };
}

function open(trust: Trust): buildConnector.connector {
  const { material, context: secureContext, session } = trust;
  const limits = { allowH2: false, timeout: connectTimeoutMs, maxCachedSessions: 0 };
  const connect = buildConnector({ ...material, secureContext, ...(session && { session }), ...limits });
  return (target, callback) =>
    connect(target, (...outcome) => {
      outcome[1]?.on("session", (latest: Buffer) => {
        trust.session = latest;
      });
      callback(...outcome);
    });
}

function isSame(one: TlsMaterial, other: TlsMaterial): boolean {
  const fields = ["ca", "cert", "key", "servername", "rejectUnauthorized", "lookup"] as const;
  return fields.every((field) => one[field] === other[field]);
}
