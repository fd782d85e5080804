import { TerminalError } from "@berg/kube";
import type { DynamicFlag } from "@berg/resources";
import type { Architecture } from "./executable.ts";
import { type EnvVar, flagEnv } from "./flag-env.ts";
import { contentFile, executableFile, type FlagFile } from "./flag-file.ts";
import type { FlagOwner } from "./flag-path.ts";

/** How one container gets the flag of its instance. */
export type FlagPlan = { way: "env"; env: EnvVar } | { way: "content" | "executable"; file: FlagFile };

/** The one way that the author of the container chose, worked out. */
export function flagPlan(wish: DynamicFlag, owner: FlagOwner, architecture: Architecture): FlagPlan {
  if (wish.env) return { way: "env", env: flagEnv(wish.env.name, owner.flag) };
  if (wish.content) return { way: "content", file: contentFile(wish.content, owner) };
  if (wish.executable) return { way: "executable", file: executableFile(wish.executable, owner, architecture) };
  throw new TerminalError("cannot hand over the flag: dynamicFlag is empty; set env, content or executable in it");
}
