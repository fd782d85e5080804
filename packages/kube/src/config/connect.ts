import type { Cluster } from "./cluster.ts";
import type { Connection } from "./connection.ts";
import { ExecPlugin, type PluginSurroundings } from "./exec/exec-plugin.ts";
import { type ClientCertificate, readCertificates, readClientCertificate } from "./pem.ts";
import { TokenFile } from "./token-file.ts";
import type { User } from "./user.ts";

interface Credentials {
  authorization(signal?: AbortSignal): Promise<string | undefined>;
  certificate(signal?: AbortSignal): Promise<ClientCertificate | undefined>;
  refused(authorization?: string): void;
}

/** Reads every file that is named once, so that a mistake stops the start and not the first request. */
export async function connect(
  { cluster, user, namespace }: { cluster: Cluster; user: User; namespace: string },
  surroundings: PluginSurroundings,
  signal?: AbortSignal,
): Promise<Connection> {
  // As kubectl: what everybody on the way could read is not sent.
  const encrypted = cluster.server.startsWith("https:");
  const credentials = credentialsOf(encrypted ? user : { kind: "none" }, cluster, surroundings);

  const readCa = async (signal?: AbortSignal) => cluster.ca && { ca: await readCertificates(cluster.ca, signal) };
  const connection: Connection = {
    server: cluster.server,
    namespace,
    async tls(signal) {
      const [ca, certificate] = await Promise.all([readCa(signal), credentials.certificate(signal)]);
      return {
        ...ca,
        ...certificate,
        ...(cluster.servername !== undefined && { servername: cluster.servername }),
        rejectUnauthorized: !cluster.skipVerify,
      };
    },
    authorization: (signal) => credentials.authorization(signal),
    refused: (authorization) => credentials.refused(authorization),
  };

  if (encrypted) await readCa(signal);
  // A plugin may ask a person, or take a minute: it runs when its answer is needed.
  if (user.kind !== "plugin") await Promise.all([credentials.certificate(signal), credentials.authorization(signal)]);
  return connection;
}

function credentialsOf(user: User, cluster: Cluster, surroundings: PluginSurroundings): Credentials {
  if (user.kind === "plugin") return new ExecPlugin(user.exec, cluster, surroundings);
  const pair = user.certificate;
  const certificate = async (signal?: AbortSignal) => pair && readClientCertificate(pair, signal);
  if (user.kind === "tokenFile") {
    const file = new TokenFile(user.file, user.what, surroundings.clock);
    return {
      certificate,
      authorization: (signal) => file.authorization(signal),
      refused: (authorization) => file.refused(authorization),
    };
  }
  const header = user.kind === "header" ? user.authorization : undefined;
  return { certificate, authorization: async () => header, refused: () => {} };
}
