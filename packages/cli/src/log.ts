import type { Logger } from "@berg/kube";
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
