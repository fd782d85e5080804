/** What `fieldRef` and `resourceFieldRef` stand for, in variables and in files. */
import { parseQuantity } from "@berg/apimachinery";
import type { Pod } from "@berg/kube";
import { type Container, findContainer } from "./shapes.ts";

/** What is known of the place where a pod runs. */
export interface Place {
  node: string;
  hostIP: string;
  podIP: string;
  /** Of the machine: what a container without a limit may use. */
  capacity: { cpus: number; memoryBytes: number };
}

/** `metadata.name`, `metadata.labels['app']`, `status.podIP`, … */
export function fieldValue(pod: Pod, path: string, place: Place): string {
  const { metadata, spec } = pod;
  const subscript = /^(metadata\.(?:labels|annotations))\['(.*)'\]$/s.exec(path);
  if (subscript) {
    const [, list, key = ""] = subscript;
    return (list === "metadata.labels" ? metadata.labels : metadata.annotations)?.[key] ?? "";
  }
  switch (path) {
    case "metadata.name":
      return metadata.name;
    case "metadata.namespace":
      return metadata.namespace ?? "";
    case "metadata.uid":
      return metadata.uid ?? "";
    case "metadata.labels":
      return lines(metadata.labels);
    case "metadata.annotations":
      return lines(metadata.annotations);
    case "spec.nodeName":
      return place.node;
    case "spec.serviceAccountName":
      return spec?.serviceAccountName ?? "";
    case "status.hostIP":
    case "status.hostIPs":
      return place.hostIP;
    case "status.podIP":
    case "status.podIPs":
      return place.podIP;
    default:
      throw new Error(`unsupported fieldPath: ${path}`);
  }
}

export interface ResourceRef {
  containerName?: string;
  resource: string;
  divisor?: string | number;
}

/** `limits.cpu` in units of the divisor, rounded up. A limit that is not set is what the machine has. */
export function resourceValue(pod: Pod, container: Container | undefined, ref: ResourceRef, place: Place): string {
  const of = ref.containerName ? findContainer(pod, ref.containerName) : container;
  if (!of) throw new Error(`container ${ref.containerName ?? ""} not found`);
  const [, list, name = ""] = /^(limits|requests)\.(cpu|memory|ephemeral-storage)$/.exec(ref.resource) ?? [];
  if (!list) throw new Error(`unsupported container resource : ${ref.resource}`);
  const limit = of.resources?.limits?.[name] ?? machineLimit(name, place);
  const text = list === "limits" ? limit : (of.resources?.requests?.[name] ?? "0");
  const [amount, divisor] = [parseQuantity(text), parseQuantity(ref.divisor || "1")];
  const unit = divisor.nanos === 0n ? parseQuantity("1") : divisor;
  const value = name === "cpu" ? amount.milliValue() : amount.value();
  const by = name === "cpu" ? unit.milliValue() : unit.value();
  return String((value + by - 1n) / by);
}

function machineLimit(name: string, { capacity }: Place): string {
  if (name === "cpu") return String(capacity.cpus);
  return name === "memory" ? String(capacity.memoryBytes) : "0";
}

/** One `key="value"` a line, sorted by key, quoted as Go quotes. */
function lines(map: Readonly<Record<string, string>> | undefined): string {
  const entries = Object.entries(map ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, value]) => `${key}=${goQuote(value)}`).join("\n");
}

const escapes: Record<string, string> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
  '"': '\\"',
};

export function goQuote(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what has to be escaped.
  const quoted = text.replace(/[\u0000-\u001f\\"\u007f]/g, (character) => {
    return escapes[character] ?? `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
  return `"${quoted}"`;
}
