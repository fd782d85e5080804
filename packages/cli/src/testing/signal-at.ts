/**
 * Loaded with `--import`: the process sends itself a SIGTERM when it has loaded so many modules after main.ts as SIGNAL_AT
 * says. At its exit it writes how many it loaded.
 */
import { writeSync } from "node:fs";
import { registerHooks } from "node:module";

let isStarted = false;
let loads = 0;
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (isStarted && ++loads === Number(process.env.SIGNAL_AT)) process.kill(process.pid, "SIGTERM");
    isStarted ||= url.endsWith("/src/main.ts");
    return loaded;
  },
});

process.on("exit", () => void writeSync(2, `loads: ${loads}\n`));
