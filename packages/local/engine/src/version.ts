/** Which engine this is, and which version of the API to speak with it. Pure. */
import { EngineError, type EngineInfo } from "./engine.ts";

export interface Dialect {
  name: EngineInfo["name"];
  /** Before every path: `/v1.41`. */
  prefix: string;
}

/** `GET /version`, as far as it is needed. */
export interface VersionAnswer {
  ApiVersion?: string;
  MinAPIVersion?: string;
  Components?: readonly { Name?: string }[] | null;
}

const podmanName = "Podman Engine";
/** What this client is written for and tested with. A newer engine that has dropped it gets its own oldest. */
const spoken = "1.41";
/** Docker 19.03: the first that takes all that is sent. */
const oldest = "1.40";

export function dialectOf(answer: VersionAnswer): Dialect {
  const newestThere = answer.ApiVersion ?? "";
  const oldestThere = answer.MinAPIVersion ?? "";
  if (!/^1\.\d+$/.test(newestThere)) throw new EngineError("what answers there is no container engine", 0);
  if (isOlder(newestThere, oldest)) {
    throw new EngineError(`the container engine is too old: it speaks ${newestThere}, ${oldest} is needed`, 0);
  }
  const version = isOlder(newestThere, spoken) ? newestThere : isOlder(spoken, oldestThere) ? oldestThere : spoken;
  const isPodman = answer.Components?.some(({ Name }) => Name === podmanName) ?? false;
  return { name: isPodman ? "podman" : "docker", prefix: `/v${version}` };
}

/** Podman names itself wherever it answers, which spares the question for its versions: that takes it a second. */
export function podmanDialect(headers: Readonly<Record<string, unknown>>): Dialect | undefined {
  const { "api-version": version, "libpod-api-version": podman } = headers;
  if (typeof version !== "string" || podman === undefined) return undefined;
  return dialectOf({ ApiVersion: version, Components: [{ Name: podmanName }] });
}

function isOlder(version: string, than: string): boolean {
  const minor = (text: string) => Number(text.split(".")[1] ?? 0);
  return minor(version) < minor(than);
}
