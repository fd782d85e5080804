import { isDNS1123Label } from "@berg/apimachinery";
import { parseDocument } from "yaml";
import { ConfigurationError } from "./configuration-error.ts";
import { Entry } from "./entry.ts";

/** One or more kubeconfig files, sorted by name but not yet checked further. */
export interface Kubeconfig {
  /** Where it comes from, for errors. */
  files: readonly string[];
  currentContext: string | undefined;
  contexts: ReadonlyMap<string, Entry>;
  clusters: ReadonlyMap<string, Entry>;
  users: ReadonlyMap<string, Entry>;
}

/** What one context stands for. */
export interface Chosen {
  cluster: Entry;
  user: Entry;
  namespace: string;
}

export function parseKubeconfig(text: string, file: string): Kubeconfig {
  const root = new Entry(`kubeconfig ${file}`, file, parseYaml(text, file));
  const kind = root.text("kind") ?? "Config";
  const apiVersion = root.text("apiVersion") ?? "v1";
  if (kind !== "Config" || apiVersion !== "v1") throw root.wrong('is not of apiVersion "v1", kind "Config"');
  return {
    files: [file],
    currentContext: root.text("current-context"),
    contexts: namedEntries(root, "contexts", "context", file),
    clusters: namedEntries(root, "clusters", "cluster", file),
    users: namedEntries(root, "users", "user", file),
  };
}

/** As kubectl merges KUBECONFIG: the first file to set a value or to name an entry wins, and entries are never mixed. */
export function mergeKubeconfigs(kubeconfigs: readonly Kubeconfig[]): Kubeconfig {
  // A Map made of a list keeps the last of each name, hence from back to front.
  const lastFirst = kubeconfigs.toReversed();
  return {
    files: kubeconfigs.flatMap((kubeconfig) => kubeconfig.files),
    currentContext: kubeconfigs.find((kubeconfig) => kubeconfig.currentContext !== undefined)?.currentContext,
    contexts: new Map(lastFirst.flatMap((kubeconfig) => [...kubeconfig.contexts])),
    clusters: new Map(lastFirst.flatMap((kubeconfig) => [...kubeconfig.clusters])),
    users: new Map(lastFirst.flatMap((kubeconfig) => [...kubeconfig.users])),
  };
}

/** `chooseContext(kubeconfig, "staging")`; without a name, the current context. */
export function chooseContext(kubeconfig: Kubeconfig, wanted?: string): Chosen {
  const name = wanted ?? kubeconfig.currentContext;
  if (name === undefined) {
    throw new ConfigurationError(`no current-context is set in ${where(kubeconfig)}: ${offer(kubeconfig.contexts)}`);
  }
  const context = kubeconfig.contexts.get(name);
  if (!context) {
    throw new ConfigurationError(
      `there is no context ${JSON.stringify(name)} in ${where(kubeconfig)}: ${offer(kubeconfig.contexts)}`,
    );
  }
  const namespace = context.text("namespace") ?? "default";
  if (!isDNS1123Label(namespace)) {
    throw context.wrong("has a wrong namespace: only a-z, 0-9 and - may stand in it, 63 characters at most");
  }
  return {
    cluster: referred(context, "cluster", kubeconfig.clusters, kubeconfig),
    user: referred(context, "user", kubeconfig.users, kubeconfig),
    namespace,
  };
}

function referred(context: Entry, field: string, entries: ReadonlyMap<string, Entry>, kubeconfig: Kubeconfig): Entry {
  const name = context.text(field);
  if (name === undefined) throw context.wrong(`names no ${field}: ${offer(entries)}`);
  const entry = entries.get(name);
  if (entry) return entry;
  throw context.wrong(
    `names the ${field} ${JSON.stringify(name)}, which is not in ${where(kubeconfig)}: ${offer(entries)}`,
  );
}

function where(kubeconfig: Kubeconfig): string {
  return kubeconfig.files.join(", ");
}

function offer(entries: ReadonlyMap<string, Entry>): string {
  if (entries.size === 0) return "there is none to choose";
  const names = [...entries.keys()].sort().map((name) => JSON.stringify(name));
  return `choose one of ${names.join(", ")}`;
}

function namedEntries(root: Entry, list: string, body: string, file: string): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const item of root.list(list)) {
    const name = item.text("name");
    if (name === undefined) throw item.wrong("has no name");
    const what = `${body} ${JSON.stringify(name)} in ${file}`;
    if (entries.has(name)) throw new ConfigurationError(`${what} is there twice: remove one`);
    entries.set(name, item.body(body, what));
  }
  return entries;
}

function parseYaml(text: string, file: string): unknown {
  const document = parseDocument(text, { logLevel: "error" });
  const [error] = document.errors;
  if (error) {
    const at = error.linePos?.[0];
    const place = at ? ` at line ${at.line}, column ${at.col}` : "";
    throw new ConfigurationError(`kubeconfig ${file} is not valid YAML${place} (${error.code})`);
  }
  try {
    // What Kubernetes reads is JSON that is only written as YAML: this leaves no cycles and no dates.
    return JSON.parse(JSON.stringify(document.toJS() ?? null));
  } catch {
    throw new ConfigurationError(
      `kubeconfig ${file} has YAML aliases (*name) that lead nowhere, in a circle or to too much`,
    );
  }
}
