/**
 * The program in the container. Its environment says all (environment.ts). It says who it is in its first line on
 * stdout, and what happens in JSON lines on stderr. It may be process 1, for which signals do nothing by themselves:
 * runProcess handles them.
 */
import { runProcess, systemClock } from "@berg/kube/process";
import manifest from "../../package.json" with { type: "json" };
import { collectGarbageAlone } from "../pair/collect-alone.ts";
import { stderrLog } from "../pair/log.ts";
import { runClientProxy } from "./client-proxy.ts";
import { readEnvironment } from "./environment.ts";

const clock = systemClock;
const log = stderrLog(clock);

collectGarbageAlone();

void runProcess(log, async (stop) =>
  runClientProxy(
    readEnvironment(process.env),
    {
      clock,
      log,
      introduce: (self) => process.stdout.write(`${JSON.stringify({ ...self, version: manifest.version })}\n`),
    },
    stop,
  ),
);
