/** What makes a control plane Berg: our kinds, the gateway, the controllers and the samples. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunningApi } from "@berg/api";
import { isAlreadyExists } from "@berg/apimachinery";
import { type Client, Namespaces, systemClock } from "@berg/kube";
import type { Engine } from "@berg/local-engine";
import { installGatewayKinds, startGatewayThread } from "@berg/local-gateway";
import { Challenges, customResourceDefinitions } from "@berg/resources";
import { loadSamples } from "../samples/build.ts";
import { sampleChallenges, samplesDirectory } from "../samples/samples.ts";
import { startControllers } from "./controllers.ts";
import { keepPublicUrl, keepWebPort, readWebPort } from "./data-directory.ts";
import { createLeases } from "./elected.ts";
import { applyGateway, portsOfLastTime } from "./gateway.ts";
import { guestsOf } from "./guests.ts";
import { installKinds } from "./install-kinds.ts";
import { challengeNamespace, type Listening, localSettings } from "./local-settings.ts";
import type { LocalContainers } from "./node.ts";
import type { SignInLinks } from "./pages.ts";
import { findPort } from "./ports.ts";
import { choosePublicUrl } from "./public-url.ts";
import type { Surroundings } from "./start-up.ts";

export interface RunningBerg extends AsyncDisposable {
  readonly challenges: { web: string; tls: string; ports: string };
  /** Their names. */
  readonly samples: readonly string[];
  /** Undefined where it runs without pages. */
  readonly web: RunningWeb | undefined;
  /** Rejects where a part ends by itself. */
  readonly failed: Promise<never>;
}

export async function startBerg(deps: Surroundings, containers: LocalContainers | undefined): Promise<RunningBerg> {
  const { options, directory, apiServer, client, progress, log, signal } = deps;
  const { host, domain } = options;
  const purpose = "challenges";
  const lately = await portsOfLastTime(client, signal);
  const httpPort = await findPort({ host, port: options.httpPort, flag: "--http-port", purpose, lately: lately.http });
  const tlsPort = await findPort({ host, port: options.tlsPort, flag: "--tls-port", purpose, lately: lately.tls });
  const listening: Listening = { domain, httpPort, tlsPort };
  const authority = join(directory, "ca.crt");
  const settings = localSettings({ ...options, ...listening }, process.env);
  await using parts = new AsyncDisposableStack();
  await progress.step("kinds", async () => {
    await Promise.all([
      installGatewayKinds(client, { signal }),
      installKinds(client, customResourceDefinitions(), signal),
    ]);
    await ensureNamespace(client, challengeNamespace, signal);
    await createLeases(client, apiServer.connection.namespace, signal);
  });
  const failures: Promise<never>[] = [];
  await progress.step("gateway", async () => {
    await writeFile(authority, apiServer.caPem);
    const certificateFor = (hostname: string) => apiServer.issueServerCertificate([hostname]);
    parts.use(await startGatewayThread({ connection: apiServer.connection, host, certificateFor, log }));
    await applyGateway(client, listening, signal);
  });
  const web = await startWeb(deps, settings.expiry.maxRenewals);
  if (web) parts.use(web.api);
  await progress.step("controllers", async () => {
    const { connection } = apiServer;
    const namespace = challengeNamespace;
    const controllers = parts.use(startControllers({ connection, settings, namespace, api: web?.api, log }));
    failures.push(controllers.failed);
    if (!containers) return;
    const { engine, node, networks } = containers;
    // Loaded only with an engine: without one it has no use, and our image does not contain it.
    const { startElectedTunnels } = await import("./tunnels.ts");
    const tunnels = parts.use(
      startElectedTunnels({
        connection: apiServer.connection,
        ...{ engine, node, log },
        directory: join(directory, "tunnel"),
        guests: guestsOf(networks),
      }),
    );
    failures.push(tunnels.failed);
  });
  const samples = options.samples
    ? await progress.step("samples", () => bringSamples(client, containers?.engine, signal))
    : [];
  const running = parts.move();
  return {
    challenges: {
      web: `http://<name>.${domain}:${httpPort}`,
      tls: `<name>.${domain}:${tlsPort}, with certificates that ${authority} vouches for`,
      ports: `${host}, numbers from 30000 to 32767`,
    },
    samples,
    web,
    failed: Promise.race(failures),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

export interface RunningWeb {
  readonly api: RunningApi;
  readonly publicUrl: string;
  /** Why there are no pages, where they could not be built. */
  readonly problem: string | undefined;
  newLinks(): Promise<SignInLinks>;
}

async function startWeb(
  { options, directory, apiServer, client, progress, log, signal, pages: building }: Surroundings,
  maxRenewals: number,
): Promise<RunningWeb | undefined> {
  if (options.webPort === undefined || building === undefined) return undefined;
  const { host } = options;
  const local = await import("./pages.ts");
  const { ensureCompetition, startLocalApi, localHandouts, newSignInLinks } = local;
  const { handouts: given = [], samples } = options;
  const handouts = await localHandouts(directory, samples ? [...given, samplesDirectory] : given);
  const lately = await readWebPort(directory);
  const port = await findPort({ host, port: options.webPort, flag: "--web-port", purpose: "the pages", lately });
  await keepWebPort(directory, port);
  const publicUrl = choosePublicUrl(options.publicUrl, port, options.domain);
  await keepPublicUrl(directory, publicUrl);
  await ensureCompetition(client, systemClock.now(), signal);
  const pages = await progress.step("pages", () => building);
  const { connection } = apiServer;
  const api = await progress.step("API", () =>
    startLocalApi({ directory, host, port, publicUrl, maxRenewals, connection, log, pages, handouts }),
  );
  const problem = "reason" in pages ? pages.reason : undefined;
  return { api, publicUrl, problem, newLinks: () => newSignInLinks(api) };
}

async function ensureNamespace(client: Client, name: string, signal: AbortSignal): Promise<void> {
  try {
    await client.create(Namespaces, { metadata: { name } }, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

/** What somebody changed in a sample stays changed: the fields of the sample alone are put back. */
async function bringSamples(client: Client, engine: Engine | undefined, signal: AbortSignal): Promise<string[]> {
  const challenges = await sampleChallenges();
  for (const challenge of challenges) {
    await client.apply(Challenges, challenge, { fieldManager: "berg-up", force: true, signal });
  }
  if (engine) await loadSamples(engine, signal);
  return challenges.map(({ metadata }) => metadata.name);
}
