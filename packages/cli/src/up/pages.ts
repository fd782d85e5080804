/** The API and the pages of `berg up`. */
import { stat } from "node:fs/promises";
import {
  type HandoutSettings,
  type Pages,
  type RunningApi,
  readAddressRetention,
  readHandoutSettings,
  readMailSettings,
  startApi,
} from "@berg/api";
import { formatTime, isAlreadyExists } from "@berg/apimachinery";
import {
  type Client,
  ConfigurationError,
  type Connection,
  createClient,
  errorText,
  type Logger,
  unlimited,
} from "@berg/kube";
import { Competitions } from "@berg/resources";
import { buildPages } from "@berg/web";
import { lockData, sqliteFile } from "../api/data-lock.ts";
import { version } from "../version.ts";
import { adminSocketOf } from "./data-directory.ts";
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
  handouts: HandoutSettings;
}

/** Name of the Competition. */
const competition = "competition";

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

/** Registries are read from the environment, as `berg api` does. */
export async function localHandouts(directory: string, directories: readonly string[]): Promise<HandoutSettings> {
  for (const one of directories) {
    const isDirectory = await stat(one).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!isDirectory) throw new ConfigurationError(`cannot use --handouts ${one}: there is no such directory`);
  }
  return readHandoutSettings(process.env, { directories, dataDir: directory });
}

export async function startLocalApi(options: LocalApiOptions): Promise<RunningApi> {
  const { directory, host, port, publicUrl, maxRenewals, connection, log, pages, handouts } = options;
  // As `berg api` reads them.
  const mail = readMailSettings(process.env);
  const addressRetentionMs = readAddressRetention(process.env);
  const database = await sqliteFile(directory);
  await using parts = new AsyncDisposableStack();
  parts.use(lockData(directory));
  const client = createClient({ connection, component: "api", rate: unlimited, log });
  parts.defer(() => client.close());
  const api = parts.use(
    await startApi({
      settings: {
        ...{ publicUrl, namespace: challengeNamespace, competition, maxRenewals, version },
        ...{ socketsPerAddress, addressRetentionMs },
      },
      adminSocket: adminSocketOf(directory),
      ...{ database, host, port, client, log, pages, handouts, mail },
    }),
  );
  const running = parts.move();
  return {
    ...api,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Where there is none: open from now on, without an end, for everybody to read. An existing one stays as it is. */
export async function ensureCompetition(client: Client, now: number, signal: AbortSignal): Promise<void> {
  const metadata = { namespace: challengeNamespace, name: competition };
  try {
    await client.create(Competitions, { metadata, spec: { start: formatTime(now) } } as never, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

/** New ones each time: a one-time link signs in once, and within a quarter of an hour. */
export async function newSignInLinks(api: RunningApi): Promise<SignInLinks> {
  const link = ({ name, roles }: (typeof accounts)[keyof typeof accounts]) =>
    api.signInLink({ name, roles: [...roles] });
  return { player: await link(accounts.player), admin: await link(accounts.admin) };
}
