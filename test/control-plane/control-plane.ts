/**
 * A real Kubernetes control plane for a test: etcd, kube-apiserver, kube-controller-manager and kube-scheduler in a
 * directory of their own, on free ports of 127.0.0.1, gone when the test is, whatever ends it. There is no node: pods
 * are scheduled nowhere.
 *
 *     await using controlPlane = await startControlPlane();
 *     await controlPlane.kubectl(["create", "namespace", "one"]);
 *     await controlPlane.apiServer.kill();
 *     await controlPlane.apiServer.start();
 */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Connection, kubeconfigFor } from "@berg/kube";
import { apiServer, get } from "./api-server.ts";
import { provideBinaries } from "./binaries.ts";
import type { Component, ControlledProcess } from "./component.ts";
import { controllerManager, scheduler } from "./controllers.ts";
import { connectionWith, newServiceAccountKey, tokenFile, type User, userWithNewToken } from "./credentials.ts";
import { type Etcd, EtcdProcess } from "./etcd.ts";
import { type Keeper, startKeeper } from "./keeper.ts";
import { type KubectlOptions, runKubectl } from "./kubectl.ts";

export interface ControlPlaneOptions {
  /** Whether kube-controller-manager runs. Yes unless told otherwise. */
  readonly controllerManager?: boolean;
  /** Whether kube-scheduler runs. Yes unless told otherwise. */
  readonly scheduler?: boolean;
  /** Whether an answered write is on the disk. No unless told otherwise: what a test writes may go with the machine. */
  readonly durable?: boolean;
  /** Flags after ours, so that they win: `["--watch-cache=false"]`. */
  readonly apiServerFlags?: readonly string[];
  readonly controllerManagerFlags?: readonly string[];
  readonly schedulerFlags?: readonly string[];
  /** Who may sign in beside the admin; what they may do is for RBAC to say. */
  readonly users?: readonly User[];
  /** Where its directory is made. The system's directory for temporary files unless told otherwise. */
  readonly parentDirectory?: string;
  readonly signal?: AbortSignal;
}

export interface ControlPlane extends AsyncDisposable {
  /** `https://127.0.0.1:<port>`; the same after every restart. */
  readonly server: string;
  /** The admin's token (group system:masters). */
  readonly token: string;
  /** Path of the admin's kubeconfig. */
  readonly kubeconfig: string;
  /** The admin's connection. */
  readonly connection: Connection;
  /** Logs, data and keys. Removed by `stop`, unless BERG_KEEP_CONTROL_PLANE is set. */
  readonly directory: string;
  readonly etcd: Etcd;
  readonly apiServer: ControlledProcess;
  /** Undefined where the options said so. */
  readonly controllerManager: ControlledProcess | undefined;
  readonly scheduler: ControlledProcess | undefined;
  /** The connection of whoever has this token: one of `users`, or a service account. */
  connectWith(token: string): Connection;
  /** Runs kubectl as the admin and gives its stdout. */
  kubectl(args: readonly string[], options?: KubectlOptions): Promise<string>;
  /**
   * Makes etcd forget every revision before the current one, which it returns. A watch from two or more revisions ago
   * then expires (410): at once for kinds without a watch cache (events, or all with `--watch-cache=false`), for others
   * after a restart of the API server, which until then answers from memory.
   */
  compactEtcd(signal?: AbortSignal): Promise<number>;
  /** Ends every process and removes the directory. May be called again. */
  stop(): Promise<void>;
}

/** Where the parts of one control plane find each other. */
export interface Site {
  readonly directory: string;
  readonly binaries: string;
  readonly keeper: Keeper;
  readonly tokenFile: string;
  readonly serviceAccountKey: string;
  /** The certificate that the API server makes for itself, with the CA that signed it. */
  readonly apiServerCa: string;
}

export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const { signal } = options;
  const binaries = await provideBinaries(signal);
  const keep = Boolean(process.env.BERG_KEEP_CONTROL_PLANE);
  const directory = await mkdtemp(join(options.parentDirectory ?? tmpdir(), "berg-control-plane-"));
  const keeper = startKeeper(keep ? undefined : directory);
  const site: Site = {
    directory,
    binaries,
    keeper,
    tokenFile: join(directory, "tokens.csv"),
    serviceAccountKey: join(directory, "service-account.key"),
    apiServerCa: join(directory, "apiserver.crt"),
  };

  const admin = userWithNewToken("admin", ["system:masters"]);
  const managerUser = userWithNewToken("system:kube-controller-manager");
  const schedulerUser = userWithNewToken("system:kube-scheduler");
  const kubeconfigOf = (user: User) => join(directory, `${user.name.replace("system:", "")}.kubeconfig`);

  const etcd = new EtcdProcess(site, options.durable ?? false);
  const server = apiServer(site, admin, options.apiServerFlags ?? []);
  const manager =
    options.controllerManager === false
      ? undefined
      : controllerManager(site, kubeconfigOf(managerUser), options.controllerManagerFlags ?? []);
  const placer =
    options.scheduler === false
      ? undefined
      : scheduler(site, kubeconfigOf(schedulerUser), options.schedulerFlags ?? []);
  const controllers = [manager, placer].filter((controller) => controller !== undefined);

  const stop = async () => {
    await Promise.all([...controllers, server, etcd].map((component) => component.kill()));
    await keeper.close();
    if (!keep) await rm(directory, { recursive: true, force: true });
  };

  try {
    await writeSecret(site.serviceAccountKey, newServiceAccountKey());
    await writeSecret(site.tokenFile, tokenFile([admin, managerUser, schedulerUser, ...(options.users ?? [])]));
    await etcd.start(signal);
    await server.start(signal);
    const ca = await readFile(site.apiServerCa, "utf8");
    const url = `https://127.0.0.1:${server.port}`;
    for (const user of [admin, managerUser, schedulerUser]) {
      const { name, token } = user;
      await writeSecret(kubeconfigOf(user), kubeconfigFor({ name, server: url, ca, token, namespace: "default" }));
    }
    await startAll(controllers, signal);
    if (manager) await defaultServiceAccount(site, server.port, admin, signal);

    const connectWith = (token: string) => connectionWith({ server: url, ca, token });
    return {
      server: url,
      token: admin.token,
      kubeconfig: kubeconfigOf(admin),
      connection: connectWith(admin.token),
      directory,
      etcd,
      apiServer: server,
      controllerManager: manager,
      scheduler: placer,
      connectWith,
      kubectl: (args, kubectlOptions = {}) =>
        // A cache and settings of its own: kubectl keeps what it discovered by address, and reads the user's habits.
        runKubectl(
          join(binaries, "kubectl"),
          args,
          { KUBECONFIG: kubeconfigOf(admin), KUBECACHEDIR: join(directory, "kubectl"), KUBERC: "off" },
          kubectlOptions,
        ),
      compactEtcd: (compactSignal) => etcd.compact(compactSignal),
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

// All have ended their attempt before an error goes on: none may start after the others were stopped.
async function startAll(components: readonly Component[], signal: AbortSignal | undefined): Promise<void> {
  const outcomes = await Promise.allSettled(components.map((component) => component.start(signal)));
  const failed = outcomes.find((outcome) => outcome.status === "rejected");
  if (failed) throw failed.reason;
}

/** Until it is there, no pod can be created. */
async function defaultServiceAccount(site: Site, port: number, admin: User, signal?: AbortSignal): Promise<void> {
  const path = "/api/v1/namespaces/default/serviceaccounts/default";
  while (!(await get(site, port, admin, path, signal))) await delay(50, undefined, signal && { signal });
}

function writeSecret(path: string, text: string): Promise<void> {
  return writeFile(path, text, { mode: 0o600 });
}
