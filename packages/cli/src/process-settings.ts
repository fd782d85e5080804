/** What a process of ours reads from the environment, whichever component it runs. */
import { quoted } from "@berg/apimachinery";
import { SettingsError } from "@berg/instances";
import { ConfigurationError } from "@berg/kube";
import { type LogLevel, logLevels } from "./log.ts";

export interface ProcessSettings {
  healthPort: number;
  metricsPort: number;
  logLevel: LogLevel;
}

const variables = {
  healthPort: {
    name: "HEALTH_PORT",
    default: "8081",
    description: "Port of /healthz and /readyz. The Deployment and the network policy name it too.",
    parse: port,
  },
  metricsPort: {
    name: "METRICS_PORT",
    default: "8080",
    description: "Port of /metrics. The Deployment and the network policy name it too.",
    parse: port,
  },
  logLevel: {
    name: "LOG_LEVEL",
    default: "info",
    description: "What is logged: debug, info, warn or error.",
    parse: level,
  },
};

/** Those of the environment, or every mistake in it at once. `defaults` are of one component. An empty variable counts as a missing one. */
export function readProcessSettings(
  env: Record<string, string | undefined>,
  defaults: Partial<Record<keyof ProcessSettings, string>> = {},
): ProcessSettings {
  const mistakes: string[] = [];
  const read = <T>(
    { name, default: usual, parse }: { name: string; default: string; parse(text: string): T },
    byDefault = usual,
  ) => {
    try {
      return parse(env[name]?.trim() || byDefault);
    } catch (error) {
      mistakes.push(`cannot read ${name}: ${(error as Error).message}`);
      return parse(byDefault);
    }
  };
  const settings = {
    healthPort: read(variables.healthPort, defaults.healthPort),
    metricsPort: read(variables.metricsPort, defaults.metricsPort),
    logLevel: read(variables.logLevel, defaults.logLevel),
  };
  if (mistakes.length > 0) throw new SettingsError(mistakes);
  return settings;
}

/** For documentation and manifests. */
export function processSettingsReference(): { name: string; default: string; description: string }[] {
  return Object.values(variables).map(({ name, default: byDefault, description }) => ({
    name,
    default: byDefault,
    description,
  }));
}

export function port(text: string): number {
  const number = Number(text);
  if (!/^\d{1,5}$/.test(text) || number > 65535)
    throw new Error(`${quoted(text)} is not a port (1-65535, or 0 for any that is free)`);
  return number;
}

function level(text: string): LogLevel {
  const found = logLevels.find((known) => known === text);
  if (!found) throw new Error(`${quoted(text)} is none of ${logLevels.join(", ")}`);
  return found;
}

/** What was read, or nothing and one more mistake: so that all can be told at once. */
export function readInto<T>(mistakes: string[], read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    mistakes.push(...error.message.split("\n"));
    return undefined;
  }
}

/** Ends this process with code 2 as soon as nothing runs any more, and a line for each mistake. */
export function refuse(mistakes: readonly string[]): void {
  process.stderr.write(mistakes.map((mistake) => `${mistake}\n`).join(""));
  process.exitCode = 2;
}
