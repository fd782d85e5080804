/** What the controller asks of the server proxy's program and of the image's builder; a test gives others. */
import type { Clock } from "@berg/kube";
import { ensureClientImage } from "../../image/client-image.ts";
import type { Limits, PairEvent, Tunnel } from "../../protocol/tunnel_pb.ts";
import { connectServerProxy } from "../../server-proxy/client.ts";
import {
  findServerProxy,
  launchServerProxy,
  type RunningServerProxy,
  stopServerProxy,
} from "../../server-proxy/launch.ts";

export interface TunnelRequest {
  tunnelId: number;
  name: string;
  serverAddress: string;
  serverPort: number;
  clientProxyAddress: string;
  clientProxyPort: number;
  limits: Pick<Limits, "streams" | "bytesPerSecond" | "idleSeconds">;
}

/** A server proxy, spoken to over its socket. */
export interface ServerControl extends Disposable {
  prepareTunnel(request: TunnelRequest, signal?: AbortSignal): Promise<Tunnel>;
  deleteTunnel(tunnelId: number, signal?: AbortSignal): Promise<void>;
  listTunnels(signal?: AbortSignal): Promise<Tunnel[]>;
  connect(client: { address: string; controlPort: number; certificate: string }, signal?: AbortSignal): Promise<void>;
  watch(signal: AbortSignal): AsyncIterable<PairEvent>;
  shutdown(signal?: AbortSignal): Promise<void>;
}

export interface ServerPrograms {
  /** Its files, and its socket, are in the directory, which is its own. */
  launch(options: { directory: string; name: string; signal: AbortSignal }): Promise<RunningServerProxy>;
  /** The one that was launched in this directory, if it still runs. */
  find(directory: string): Promise<RunningServerProxy | undefined>;
  /** Resolves when it is gone. */
  stop(server: RunningServerProxy): Promise<void>;
  connect(socket: string): ServerControl;
}

export type EnsureImage = typeof ensureClientImage;

/** The real ones. */
export function programsOf(clock: Clock): { programs: ServerPrograms; ensureImage: EnsureImage } {
  return {
    programs: {
      launch: (options) => launchServerProxy({ ...options, clock }),
      find: async (directory) => findServerProxy(directory, clock),
      stop: (server) => stopServerProxy(server, clock),
      connect: connectServerProxy,
    },
    ensureImage: ensureClientImage,
  };
}
