/** How many streams the descriptors of this process are enough for. */
import { readFileSync } from "node:fs";

const whereUnknown = 10_240;

/**
 * A stream takes two. An eighth is left for connections that wait or have not proved themselves, and some for the rest
 * of the program: a client that took the last one would wait for a data connection that nobody can accept any more.
 */
export function mostStreams(descriptors = openFilesLimit()): number {
  return Math.max(1, Math.floor((descriptors * (7 / 8) - 32) / 2));
}

function openFilesLimit(): number {
  try {
    const limits = readFileSync("/proc/self/limits", "utf8");
    return Number(/^Max open files +([0-9]+)/m.exec(limits)?.[1] ?? whereUnknown);
  } catch {
    // Not on Linux.
    return whereUnknown;
  }
}
