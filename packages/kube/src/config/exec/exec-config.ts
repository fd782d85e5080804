import type { Entry } from "../entry.ts";

/** A credential plugin: a command that prints who we are, as `exec` of a kubeconfig's user names it. */
export interface ExecConfig {
  /** How errors name it. */
  what: string;
  apiVersion: string;
  command: string;
  args: string[];
  env: Record<string, string>;
  installHint?: string;
  provideClusterInfo: boolean;
  interactiveMode: InteractiveMode;
}

export type InteractiveMode = "Never" | "IfAvailable" | "Always";

const interactiveModes: readonly string[] = ["Never", "IfAvailable", "Always"] satisfies InteractiveMode[];
const v1 = "client.authentication.k8s.io/v1";
const v1beta1 = "client.authentication.k8s.io/v1beta1";

export function readExecConfig(exec: Entry): ExecConfig {
  const apiVersion = exec.text("apiVersion");
  if (apiVersion !== v1 && apiVersion !== v1beta1) throw exec.wrong(`has a wrong apiVersion: use ${v1} or ${v1beta1}`);
  const command = exec.text("command");
  if (command === undefined) throw exec.wrong("has no command");
  const installHint = exec.text("installHint");
  return {
    what: exec.what,
    apiVersion,
    // As a shell has it: a bare name is looked for in PATH, anything with a slash is a file.
    command: command.includes("/") ? exec.resolve(command) : command,
    args: exec.texts("args"),
    env: environment(exec),
    provideClusterInfo: exec.flag("provideClusterInfo"),
    interactiveMode: interactiveMode(exec, apiVersion),
    ...(installHint !== undefined && { installHint }),
  };
}

function environment(exec: Entry): Record<string, string> {
  return Object.fromEntries(
    exec.list("env").map((variable) => {
      const name = variable.text("name");
      if (name === undefined) throw variable.wrong("has no name");
      return [name, variable.text("value") ?? ""];
    }),
  );
}

function interactiveMode(exec: Entry, apiVersion: string): InteractiveMode {
  const mode = exec.text("interactiveMode") ?? (apiVersion === v1beta1 ? "IfAvailable" : undefined);
  if (mode !== undefined && interactiveModes.includes(mode)) return mode as InteractiveMode;
  throw exec.wrong(
    `${mode === undefined ? "has no" : "has a wrong"} interactiveMode: use one of ${interactiveModes.join(", ")}`,
  );
}
