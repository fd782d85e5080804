/** Finds the container engine of this machine, or says why there is none. */
import { existsSync } from "node:fs";
import { type Clock, systemClock } from "@berg/kube";
import { connectEngine } from "./connect.ts";
import { type Engine, EngineError, type EngineInfo } from "./engine.ts";
import { missingFirewall } from "./firewall.ts";
import { type Environment, enginePlaces, type Runtime } from "./places.ts";
import { startPodmanService } from "./podman-service.ts";

export interface FoundEngine extends AsyncDisposable {
  readonly engine: Engine;
  readonly socket: string;
  readonly info: EngineInfo;
  /** Why it cannot give a container a network, and what to install; undefined where it can. */
  missing(signal?: AbortSignal): Promise<string | undefined>;
}

/**
 * `DOCKER_HOST` or `CONTAINER_HOST`, then the usual sockets; where there is none of them but a `podman` command, a
 * service of it that ends when this is disposed of, or with this process. Containers outlive it.
 *
 *     await using found = await findEngine("auto", process.env);
 *     if ("reason" in found) …
 */
export async function findEngine(
  runtime: Runtime,
  env: Environment,
  options: { clock?: Clock; signal?: AbortSignal } = {},
): Promise<FoundEngine | ({ readonly reason: string } & AsyncDisposable)> {
  const { clock = systemClock, signal } = options;
  const places = enginePlaces(runtime, env);
  if ("reason" in places) return none(places.reason);
  const complaints: string[] = [];
  for (const socket of places.sockets) {
    if (!places.chosen && !existsSync(socket)) continue;
    const engine = connectEngine(socket, { clock });
    try {
      const info = await engine.info(signal);
      // A socket of Docker's may be Podman's in disguise.
      if (runtime === "auto" || info.name === runtime) {
        const missing = async (signal?: AbortSignal) =>
          info.name === "podman" ? missingFirewall(env, { isSystemService: true, signal }) : undefined;
        return { engine, socket, info, missing, ...nothingToStop };
      }
      complaints.push(`what answers at ${socket} is ${info.name}`);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      complaints.push(error.message.replace(/^cannot [^:]*: /, ""));
    }
  }
  if (places.chosen) return none(`${places.chosen} is set, and ${complaints.join("; ")}`);
  if (runtime !== "docker") {
    const service = await startPodmanService(env, clock, signal);
    if ("engine" in service) {
      const missing = (signal?: AbortSignal) => missingFirewall(env, { isSystemService: false, signal });
      return { ...service, missing };
    }
    complaints.push(service.reason);
  }
  const what = runtime === "auto" ? "container engine" : runtime === "docker" ? "Docker" : "Podman";
  return none([`there is no ${what} on this machine`, ...complaints].join("; "));
}

const nothingToStop = { async [Symbol.asyncDispose]() {} };

function none(reason: string) {
  return { reason, ...nothingToStop };
}
