/** What a proxy has to say, one JSON object a line: the controller passes the lines on, and people search them. */
import type { Clock, Logger } from "@berg/kube/process";

/** On stderr. A line that cannot be written, as on a full disk, is lost: streams go on. */
export function stderrLog(clock: Clock): Logger {
  process.stderr.on("error", () => {});
  return jsonLog((line) => {
    try {
      process.stderr.write(line);
    } catch {}
  }, clock);
}

export function jsonLog(write: (line: string) => void, clock: Clock, always: object = {}): Logger {
  const at = (level: string) => (fields: object, message: string) =>
    write(`${JSON.stringify({ time: new Date(clock.now()).toISOString(), level, ...always, ...fields, message })}\n`);
  return {
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => jsonLog(write, clock, { ...always, ...fields }),
  };
}
