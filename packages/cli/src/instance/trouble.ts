import { type Logger, silentLogger } from "@berg/kube";
import { printable } from "./printable.ts";

/** What a person is told of an informer's trouble; it goes on trying by itself. */
export function tellingOfTrouble(tell: (text: string) => void): Logger {
  return {
    ...silentLogger,
    warn(fields) {
      const { error } = fields as { error?: unknown };
      if (typeof error === "string") tell(`Trying again: ${printable(error)}`);
    },
  };
}
