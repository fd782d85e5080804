/** What the server proxy is told on its command line, which everybody on the host can read: nothing in it is secret. */
import { isAbsolute } from "node:path";
import { parseArgs } from "node:util";
import { ConfigurationError, errorText } from "@berg/kube/process";

export interface ServerProxySettings {
  /** Of the unix socket on which its owner talks to it. */
  socket: string;
  /** Of the pair, for the logs. */
  name: string;
  /** It ends the pair when nobody has watched it for so long. */
  unwatchedMs: number;
}

export function readArguments(args: readonly string[]): ServerProxySettings {
  const { socket, name, "unwatched-seconds": seconds } = valuesOf(args);
  if (!socket || !isAbsolute(socket))
    throw new ConfigurationError(`--socket is ${JSON.stringify(socket ?? "")}: give an absolute path`);
  if (!/^\d+(\.\d+)?$/.test(seconds))
    throw new ConfigurationError(`--unwatched-seconds is ${JSON.stringify(seconds)}, which is no number of seconds`);
  return { socket, name, unwatchedMs: Number(seconds) * 1_000 };
}

function valuesOf(args: readonly string[]) {
  const options = {
    socket: { type: "string" },
    name: { type: "string", default: "" },
    "unwatched-seconds": { type: "string", default: "60" },
  } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new ConfigurationError(errorText(error));
  }
}
