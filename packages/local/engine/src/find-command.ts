import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import type { Environment } from "./places.ts";

/** The file that a shell would run; undefined where there is none in PATH. */
export function findCommand(name: string, { PATH = "" }: Environment): string | undefined {
  return PATH.split(":")
    .map((directory) => join(directory || ".", name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
