/** The API and the pages of `berg up`. */
import { writeFile } from "node:fs/promises";
import { alwaysOpen, type Pages, type RunningApi, startApi } from "@berg/api";
import { type Connection, createClient, errorText, type Logger, unlimited } from "@berg/kube";
import { buildPages } from "@berg/web";
import { version } from "../version.ts";
import { adminSocketOf, databaseOf } from "./data-directory.ts";
import { challengeNamespace } from "./local-settings.ts";

export interface LocalApiOptions {
  directory: string;
  host: string;
  port: number;
  publicUrl: string;
  maxRenewals: number;
  connection: Connection;
  log: Logger;
  pages: Pages;
}

/** All players of one machine have the address of the machine. */
const socketsPerAddress = 10_000;

/** The accounts of one machine. */
const accounts = {
  player: { name: "Player", roles: ["player"] },
  admin: { name: "Admin", roles: ["player", "admin"] },
} as const;

export interface SignInLinks {
  player: string;
  admin: string;
}

/** Where the pages cannot be built, the API works without them, and says why. */
export async function preparePages(): Promise<Pages> {
  try {
    return { directory: (await buildPages()).directory };
  } catch (error) {
    return { reason: errorText(error) };
  }
}

export async function startLocalApi(options: LocalApiOptions): Promise<RunningApi> {
  const { directory, host, port, publicUrl, maxRenewals, connection, log, pages } = options;
  const database = databaseOf(directory);
  // It holds flags. SQLite gives the files beside it the same mode.
  await writeFile(database, "", { flag: "a", mode: 0o600 });
  await using parts = new AsyncDisposableStack();
  const client = createClient({ connection, component: "api", rate: unlimited, log });
  parts.defer(() => client.close());
  const api = parts.use(
    await startApi({
      settings: { publicUrl, namespace: challengeNamespace, maxRenewals, version, socketsPerAddress },
      competition: alwaysOpen,
      adminSocket: adminSocketOf(directory),
      ...{ database, host, port, client, log, pages },
    }),
  );
  const running = parts.move();
  return {
    attach: (manager) => api.attach(manager),
    signInLink: (account) => api.signInLink(account),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** New ones each time: a one-time link signs in once, and within a quarter of an hour. */
export async function newSignInLinks(api: RunningApi): Promise<SignInLinks> {
  const link = ({ name, roles }: (typeof accounts)[keyof typeof accounts]) =>
    api.signInLink({ name, roles: [...roles] });
  return { player: await link(accounts.player), admin: await link(accounts.admin) };
}
