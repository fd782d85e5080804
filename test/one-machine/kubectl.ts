/** The real kubectl, as somebody types it at `berg up`. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { findBinaries, provideBinaries } from "../control-plane/binaries.ts";
import type { Machine } from "./machine.ts";
import { type Ended, runToEnd } from "./run.ts";

/** Why there can be no kubectl here, or nothing. */
export async function missingKubectl(): Promise<string | undefined> {
  const found = await findBinaries(["kubectl"]);
  return found.kind === "missing" ? found.reason : undefined;
}

export interface Kubectl {
  run(args: readonly string[], input?: string): Promise<Ended>;
  /** Lets it go on until this stands in what it says, and gives all of that. `then` runs once it has begun. */
  until(text: string, args: readonly string[], then?: () => Promise<unknown>): Promise<string>;
}

export async function kubectlFor({ user }: Machine): Promise<Kubectl> {
  const binary = join(await provideBinaries(undefined, ["kubectl"]), "kubectl");
  return {
    run: (args, input) => runToEnd(binary, args, user, input),
    async until(text, args, then) {
      const child = spawn(binary, args, { env: user, stdio: ["ignore", "pipe", "pipe"] });
      let said = "";
      const begun = Promise.withResolvers<void>();
      const seen = new Promise<void>((resolve, reject) => {
        for (const stream of [child.stdout, child.stderr])
          stream.setEncoding("utf8").on("data", (more: string) => {
            said += more;
            begun.resolve();
            if (said.includes(text)) resolve();
          });
        child.on("close", () => reject(new Error(`kubectl ${args[0]} ended without "${text}": ${said}`)));
      });
      try {
        await Promise.race([then ? begun.promise.then(then).then(() => seen) : seen, seen]);
        return said;
      } finally {
        child.kill();
      }
    },
  };
}
