/**
 * The whole server: storage → verbs → kinds, built in and custom → who asks, and may they → TLS listener.
 *
 *     await using server = await startApiServer({ dataDir: ".berg" });
 *     const client = createClient({ connection: server.connection, … });
 */
import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type Clock,
  type Connection,
  kubeconfigFor,
  type Logger,
  type Random,
  silentLogger,
  systemClock,
  systemRandom,
} from "@berg/kube";
import { issueCertificate } from "@berg/local-certificates";
import { standardAdmissions } from "./admission/standard-admissions.ts";
import { Authenticator } from "./authentication/authenticate.ts";
import { loadCredentials } from "./authentication/credentials.ts";
import { wantedUser } from "./authentication/impersonation-headers.ts";
import { authenticationReviews } from "./authentication/reviews.ts";
import { ServiceAccountTokens } from "./authentication/service-account-tokens.ts";
import { tokenEndpoint } from "./authentication/token-requests.ts";
import { mastersGroup, type User } from "./authentication/user.ts";
import { escalationAdmission } from "./authorization/escalation.ts";
import { Impersonation } from "./authorization/impersonation.ts";
import { Rbac } from "./authorization/rbac.ts";
import { authorizationReviews } from "./authorization/reviews.ts";
import { definitionStrategy } from "./crds/definition-strategy.ts";
import { answerPath } from "./discovery/paths.ts";
import { listen } from "./http/listener.ts";
import type { Nodes } from "./http/nodes.ts";
import type { ServerParts } from "./http/parts.ts";
import { reviewKinds } from "./http/review-kinds.ts";
import { customResourceDefinitions } from "./kinds/apiextensions/custom-resource-definition.ts";
import { builtInKinds } from "./kinds/index.ts";
import { OpenApi } from "./openapi/documents.ts";
import { createVerbs } from "./registry/create-verbs.ts";
import { ServedResources } from "./registry/served-resources.ts";
import { checkConnect } from "./registry/subresources/check-sent.ts";
import { subresourceEndpoints } from "./registry/subresources/endpoints.ts";
import { bootstrap } from "./server/bootstrap.ts";
import { makeDataDirectory } from "./server/data-directory.ts";
import { Definitions } from "./server/definitions.ts";
import { openStore } from "./storage/open-store.ts";

export interface ApiServerOptions {
  /** Where objects and keys are kept; `:memory:` keeps nothing. */
  dataDir: string;
  /** 127.0.0.1 unless told otherwise. */
  host?: string;
  /** Any that is free unless told otherwise. */
  port?: number;
  /** Who may sign in beside the administrator; what they may do is for RBAC to say. */
  users?: readonly { token: string; user: User }[];
  /** Where pods run, if anywhere. */
  nodes?: Nodes;
  clock?: Clock;
  random?: Random;
  log?: Logger;
}

export interface ApiServer extends AsyncDisposable {
  /** `https://127.0.0.1:6443` */
  readonly url: string;
  readonly caPem: string;
  /** The administrator's (group system:masters). */
  readonly token: string;
  /** The text of the administrator's kubeconfig, which also stands in the data directory. */
  readonly kubeconfig: string;
  /** The administrator's connection. */
  readonly connection: Connection;
  /** The connection of whoever has this token. */
  connectWith(token: string): Connection;
  /** A certificate of our CA, for a day: who has it is that user. */
  issueClientCertificate(user: { name: string; groups: readonly string[] }): { cert: string; key: string };
  /** A certificate of our CA for a server that is reached under these names, for a year. */
  issueServerCertificate(names: readonly [string, ...string[]]): { cert: string; key: string };
  /** From now on, lists and watches of what was before get 410. */
  forgetHistory(): void;
  /** Ends watches, waits a little for what is being answered, and closes the store. May be called again. */
  stop(): Promise<void>;
}

const stopWithinMs = 5_000;
const dayMs = 24 * 3_600_000;

export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { dataDir, host = "127.0.0.1", clock = systemClock, random = systemRandom, log = silentLogger } = options;
  const isKept = dataDir !== ":memory:";
  if (isKept) await makeDataDirectory(dataDir);
  const credentials = await loadCredentials(isKept ? join(dataDir, "pki") : undefined, [host], clock);
  await using undo = new AsyncDisposableStack();
  const store = undo.use(await openStore({ file: isKept ? join(dataDir, "store.db") : ":memory:", clock }));

  const served = new ServedResources();
  const definitionKind = { ...customResourceDefinitions, strategy: definitionStrategy };
  for (const kind of [...builtInKinds, ...reviewKinds, definitionKind]) served.add(kind);
  const rbac = new Rbac(store);
  const impersonation = new Impersonation((user, info) => rbac.authorize(user, info));
  const admissions = [...standardAdmissions({ store, served, rbac }), escalationAdmission(rbac)];
  const registry = { store, served, admissions, clock, random };
  const verbs = createVerbs(registry);

  const admin = { token: credentials.adminToken, user: { name: "admin", groups: [mastersGroup] } };
  const accounts = new ServiceAccountTokens(credentials.serviceAccountKey, store, clock);
  const authenticator = new Authenticator([admin, ...(options.users ?? [])], accounts);

  let isStopping = false;
  let port = 0;
  const paths = {
    served,
    openApi: new OpenApi(served),
    checks: { ping: () => true, store: () => true, shutdown: () => !isStopping },
    address: () => `${host}:${port}`,
    documents: { "/openid/v1/jwks": () => accounts.keys },
  };
  const parts: ServerParts = {
    verbs,
    served,
    endpoints: {
      ...subresourceEndpoints(registry),
      ...authenticationReviews(authenticator, clock),
      ...authorizationReviews(rbac),
      "serviceaccounts/token": tokenEndpoint(accounts, registry),
    },
    ...(options.nodes && { nodes: options.nodes }),
    authenticate: async ({ headers, certificate }) =>
      authenticator.authenticate({ authorization: headers.authorization, certificate }),
    impersonate(user, headers, info) {
      const wanted = wantedUser(headers);
      return wanted ? impersonation.userFor(user, wanted, info) : user;
    },
    authorize: (user, info) => rbac.authorize(user, info),
    checkConnect: (...asked) => checkConnect(registry, ...asked),
    answerPath: (exchange) => answerPath(paths, exchange),
    clock,
    log,
  };

  const definitions = new Definitions({ store, served, verbs, resource: definitionKind, clock, log });
  definitions.start();
  undo.defer(() => definitions.stop());
  const { ca, server: identity } = credentials;
  const tls = { ...identity, clientCa: ca.certificate };
  const listener = await listen(parts, { host, port: options.port ?? 0, tls });
  undo.defer(() => listener.stop(stopWithinMs));
  port = listener.port;
  await bootstrap(store, served, verbs, port);

  const url = `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
  const kubeconfig = kubeconfigFor({ name: "berg", server: url, ca: ca.certificate, token: admin.token });
  if (isKept) await writeWhole(join(dataDir, "kubeconfig"), kubeconfig);
  const running = undo.move();
  let stopped: Promise<void> | undefined;
  const stop = () => {
    isStopping = true;
    stopped ??= running.disposeAsync();
    return stopped;
  };
  const connectWith = (token: string) => connectionTo(url, ca.certificate, token);
  return {
    url,
    caPem: ca.certificate,
    token: admin.token,
    kubeconfig,
    connection: connectWith(admin.token),
    connectWith,
    issueClientCertificate({ name, groups }) {
      const subject = { commonName: name, organizations: groups };
      const from = clock.now();
      const { certificate, key } = issueCertificate(ca, { subject, usage: "client", from, until: from + dayMs });
      return { cert: certificate, key };
    },
    issueServerCertificate(names) {
      const from = clock.now();
      const wanted = {
        subject: { commonName: names[0] },
        usage: "server",
        names,
        from,
        until: from + 365 * dayMs,
      } as const;
      const { certificate, key } = issueCertificate(ca, wanted);
      return { cert: certificate, key };
    },
    forgetHistory: () => store.compact(store.revision),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function connectionTo(server: string, ca: string, token: string): Connection {
  return {
    server,
    namespace: "default",
    tls: async () => ({ rejectUnauthorized: true, ca }),
    authorization: async () => `Bearer ${token}`,
    refused() {},
  };
}

/** Whoever waits for the file must not find half of it. */
async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}
