/** Reads one YAML text on a thread of its own. Started by read-in-thread.ts. */
import { parentPort, workerData } from "node:worker_threads";
import { readYaml } from "./read-yaml.ts";
import { BadYaml } from "./yaml-document.ts";

export type ThreadAnswer = { value: unknown; repeated: readonly string[] } | { problem: string };

function answer(text: string): ThreadAnswer {
  try {
    const { value, repeated = [] } = readYaml(text);
    return { value, repeated };
  } catch (error) {
    if (error instanceof BadYaml) return { problem: error.message };
    throw error;
  }
}

parentPort?.postMessage(answer(workerData as string));
