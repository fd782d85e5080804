/** Where the files of a pod are, below the node's directory. */
import { join } from "node:path";

const etc = "etc";
const messages = "containers";

export function podsDirectory(dataDir: string): string {
  return join(dataDir, "pods");
}

export function podDirectory(dataDir: string, uid: string): string {
  return join(podsDirectory(dataDir), uid);
}

/** A file of ours that every container of the pod sees under /etc. */
export function etcFile(directory: string, name: "hosts" | "resolv.conf" | "hostname"): string {
  return join(directory, etc, name);
}

export function terminationFile(directory: string, container: string, attempt: number): string {
  return join(directory, messages, container, `${attempt}.message`);
}

/** Where the files above are, which containers may make as long as they like. */
export function writtenTo(directory: string): string[] {
  return [etc, messages].map((name) => join(directory, name));
}
