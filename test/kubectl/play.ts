/** Types the commands at one control plane, and writes down what came back, without what differs from run to run. */
import { spawn } from "node:child_process";
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "./commands.ts";
import { manifests } from "./manifests.ts";

export interface Played {
  exit: number;
  stdout: string;
  stderr: string;
}

export async function play(kubectl: string, kubeconfig: string, commands: readonly Command[]): Promise<Played[]> {
  const directory = await mkdtemp(join(tmpdir(), "berg-kubectl-"));
  try {
    // kubectl keeps what it discovered, and which namespace it is in: both are this play's own.
    const env = {
      HOME: join(directory, "home"),
      KUBECONFIG: join(directory, "kubeconfig"),
      KUBE_EDITOR: "sed -i s/round/square/",
      PATH: process.env.PATH ?? "",
      TZ: "UTC",
    };
    await mkdir(env.HOME);
    await copyFile(kubeconfig, env.KUBECONFIG);
    for (const [name, text] of Object.entries(manifests)) await writeFile(join(directory, name), text);
    const played: Played[] = [];
    for (const command of commands) played.push(await run(kubectl, directory, env, command));
    return played;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function run(kubectl: string, cwd: string, env: Record<string, string>, command: Command): Promise<Played> {
  return new Promise((resolve, reject) => {
    const child = spawn(kubectl, words(command.line), { cwd, env });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr.setEncoding("utf8").on("data", (chunk) => {
      stderr += chunk;
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ exit: code ?? -1, stdout: masked(stdout), stderr: masked(stderr) }));
    // A kubectl that does not read its input may be gone before it is written.
    child.stdin.on("error", () => {});
    child.stdin.end(command.stdin ?? "");
  });
}

/** `-o jsonpath='{.a} {.b}'` is two words. */
function words(line: string): string[] {
  const parts = line.match(/(?:'[^']*'|[^\s'])+/g) ?? [];
  return parts.map((part) => part.replaceAll("'", ""));
}

const masks: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "TIME"],
  [/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d [+\w]+/g, "TIME"],
  [/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? [+-]\d{4}( \w+)?/g, "TIME"],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UID"],
  [/(resourceVersion"?: )"\d+"/g, "$1VERSION"],
  [/(Resource Version: +)\d+/g, "$1VERSION"],
  [/^Context "\w+"/gm, 'Context "NAME"'],
  // How often somebody is told to wait is a matter of time.
  [/^Waiting for .*\n/gm, ""],
  [/\/tmp\/(LIVE|MERGED)-\d+/g, "/tmp/$1"],
  [/https:\/\/127\.0\.0\.1:\d+/g, "SERVER"],
  [/\b10\.\d+\.\d+\.\d+\b/g, "IP"],
  [/\b3[0-2]\d{3}\b/g, "NODEPORT"],
  [/\bweb-[0-9a-z]{8,10}-[0-9a-z]{5}\b/g, "web-HASH-ID"],
  [/\bweb-[0-9a-z]{8,10}\b/g, "web-HASH"],
  [/(pod-template-hash[=:] ?"?)[0-9a-z]{8,10}/g, "$1HASH"],
  [/\b(\d+[dhms])+\b( ago)?/g, "AGE"],
  // Columns are as wide as what was masked in them.
  [/(?<=\S)( {2,}|\t+)/g, "  "],
  [/ +$/gm, ""],
];

export function masked(text: string): string {
  return masks.reduce((result, [pattern, mask]) => result.replace(pattern, mask), text);
}
