/** A kubeconfig that somebody else wrote → what is needed to reach one server, and nothing that reaches further. */
import { readCertificates, readCredentials } from "./credentials.ts";
import { type Mapping, mapping, readDocument } from "./document.ts";
import { refuseFields, textOf } from "./fields.ts";
import { invalid, refused } from "./problem.ts";

/** An administrator's way to a cluster. It is a secret: it is kept in memory, and only for minutes. */
export interface Access {
  /** Base URL, without a trailing slash. */
  server: string;
  /** PEM, certificates only. */
  ca: string;
  credentials: Credentials;
  /** ms since 1970; undefined where they do not end, or nobody can tell. */
  expiresAt: number | undefined;
}

export type Credentials = { token: string } | { cert: string; key: string };

interface Entry {
  what: string;
  name: string;
  fields: Mapping;
}

const mostEntries = 20;

/**
 * With `server`, the entry of that server is taken, whichever context is the current one: Gardener's kubeconfigs have
 * one for each address. Without it there must be one context only. Throws KubeconfigProblem.
 */
export function readKubeconfig(text: string, { server }: { server?: string } = {}): Access {
  const root = readDocument(text);
  if ((root.kind ?? "Config") !== "Config" || (root.apiVersion ?? "v1") !== "v1") {
    throw invalid('it is not of apiVersion "v1", kind "Config"');
  }
  const clusters = entriesOf(root, "clusters", "cluster");
  const users = entriesOf(root, "users", "user");
  const usable = entriesOf(root, "contexts", "context").flatMap((context) => {
    const cluster = named(clusters, textOf(context.fields, "cluster", context.what));
    const user = named(users, textOf(context.fields, "user", context.what));
    if (!cluster || !user) return [];
    return [{ context, cluster, user, url: serverOf(cluster) }];
  });
  if (server !== undefined) {
    const wanted = baseUrl(server);
    const found = usable.find(({ url }) => url === wanted);
    if (!found) throw invalid("no context of it leads to the address that the cluster advertises");
    return accessOf(found);
  }
  const [only, ...others] = usable;
  if (!only) throw invalid("it has no context that names a cluster and a user of it: add one");
  if (others.length > 0) throw refused("it has more than one context: keep the one that is meant");
  const current = textOf(root, "current-context", "it");
  if (current !== undefined && current !== only.context.name) {
    throw invalid("current-context names no context of it that can be used: name the one that is there");
  }
  return accessOf(only);
}

function accessOf({ cluster, user, url }: { cluster: Entry; user: Entry; url: string }): Access {
  const ca = textOf(cluster.fields, "certificate-authority-data", cluster.what);
  if (ca === undefined) {
    throw invalid(`${cluster.what} has no certificate-authority-data: set it to the CA of the cluster's API server`);
  }
  return {
    server: url,
    ca: readCertificates(ca, `${cluster.what}.certificate-authority-data`),
    ...readCredentials(user.fields, user.what),
  };
}

function serverOf(cluster: Entry): string {
  const text = textOf(cluster.fields, "server", cluster.what);
  if (text === undefined) throw invalid(`${cluster.what} has no server`);
  const url = URL.parse(text);
  const field = `${cluster.what}.server`;
  if (url?.protocol !== "https:") throw refused(`${field} is not a URL that begins with https://`);
  if (url.username !== "" || url.password !== "") throw refused(`${field} has a user name or password: remove them`);
  if (url.search !== "" || url.hash !== "") throw refused(`${field} has a ? or # in it: remove what begins there`);
  return baseUrl(text);
}

function baseUrl(text: string): string {
  const url = URL.parse(text);
  return url ? url.origin + url.pathname.replace(/\/+$/, "") : text;
}

function entriesOf(root: Mapping, list: string, kind: "cluster" | "user" | "context"): Entry[] {
  const items = root[list] ?? [];
  if (!Array.isArray(items)) throw invalid(`${list} is not a list`);
  if (items.length > mostEntries)
    throw refused(`${list} has more than ${mostEntries} entries: keep the one that is meant`);
  const entries = items.map((value, index) => {
    const item = mapping(value, `${list}[${index}]`);
    const what = `${list}[${index}].${kind}`;
    const fields = mapping(item[kind], what);
    refuseFields(fields, what, kind);
    return { what, name: textOf(item, "name", `${list}[${index}]`) ?? "", fields };
  });
  if (new Set(entries.map(({ name }) => name)).size < entries.length) throw invalid(`${list} has one name twice`);
  return entries;
}

function named(entries: readonly Entry[], name: string | undefined): Entry | undefined {
  return name === undefined ? undefined : entries.find((entry) => entry.name === name);
}
