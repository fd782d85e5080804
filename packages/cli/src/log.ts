import { type Logger, silentLogger } from "@berg/kube";
import pino from "pino";

export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

/** One line of JSON each, on stdout. Which pod it is, whoever collects them knows. */
export function createLog(level: LogLevel): Logger {
  return pino({
    level,
    base: null,
    formatters: { level: (label) => ({ level: label }) },
    timestamp: pino.stdTimeFunctions.isoTime,
  });
}

/** For a command that somebody watches: what ends it is said as all other commands say it. */
export function tellingOfTheEnd(stderr: { write(text: string): unknown }): Logger {
  return {
    ...silentLogger,
    error(fields) {
      const { error, stack } = fields as { error?: string; stack?: string };
      stderr.write(`error: ${error ?? "broken"}\n${stack === undefined ? "" : `${stack}\n`}`);
    },
  };
}
