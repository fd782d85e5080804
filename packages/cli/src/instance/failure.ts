/** What went wrong, in words for whoever typed the command, and the exit code that tells it to a script. */
import { isForbidden, isNotFound, isUnauthorized, StatusError } from "@berg/apimachinery";
import { ConfigurationError, ConnectionError, errorText } from "@berg/kube";
import { Unanswered } from "./presence.ts";
import { printable } from "./printable.ts";
import type { ExitCode } from "./surroundings.ts";
import type { Cluster } from "./which-cluster.ts";

/** Told as it is. */
export class Failure extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = 1) {
    super(message);
    this.name = "Failure";
    this.exitCode = exitCode;
  }
}

export interface Told {
  text: string;
  exitCode: ExitCode;
}

/** The words of the server may quote what was sent, and with it a flag: `errorText` withholds those. */
export function explain(error: unknown, cluster: Pick<Cluster, "source" | "isLocal"> | undefined): Told {
  if (error instanceof Failure) return { text: error.message, exitCode: error.exitCode };
  if (error instanceof ConfigurationError) return { text: error.message, exitCode: 2 };
  const source = cluster?.source ?? "the kubeconfig";
  if (error instanceof ConnectionError || error instanceof Unanswered) {
    const remedy = cluster?.isLocal
      ? "Is it running? Start it with berg up (npm start)."
      : "If berg up keeps it, start that again; else name another one with --kubeconfig.";
    return { text: `cannot reach the cluster of ${source}: ${printable(error.message)}. ${remedy}`, exitCode: 1 };
  }
  if (isUnauthorized(error)) return { text: `the cluster does not accept the credentials of ${source}`, exitCode: 1 };
  if (isKindMissing(error)) {
    const remedy = "Install them: berg crds | kubectl apply -f -";
    return { text: `the cluster of ${source} has no Challenges: Berg's kinds are missing. ${remedy}`, exitCode: 1 };
  }
  const words = printable(errorText(error));
  return { text: isForbidden(error) ? `the cluster of ${source} does not allow it: ${words}` : words, exitCode: 1 };
}

/** The path is unknown, and not the object: then the server names none. */
function isKindMissing(error: unknown): boolean {
  return isNotFound(error) && error instanceof StatusError && !error.status.details?.name;
}
