/** Everything that is served beside resources: discovery, health, the version, OpenAPI. */
import { createHash } from "node:crypto";
import { methodNotAllowed, noSuchPath, notAcceptable } from "../errors/refusals.ts";
import type { Exchange } from "../http/exchange.ts";
import type { OpenApi } from "../openapi/documents.ts";
import type { ServedResources } from "../registry/served-resources.ts";
import { parseAccept } from "../requests/media-type.ts";
import { type AggregatedVersion, aggregatedVersion, contentTypeOf, groupDiscoveryList } from "./aggregated.ts";
import { type Group, groupsOf } from "./groups.ts";
import { type Check, healthAnswer } from "./health.ts";
import { apiGroup, apiGroupList, apiResourceList, apiVersions } from "./legacy.ts";
import { version } from "./version.ts";

export interface PathOptions {
  served: ServedResources;
  openApi: OpenApi;
  /** What must hold for the server to be healthy, by name. */
  checks: Readonly<Record<string, Check>>;
  /** Where the server is reached: `127.0.0.1:6443`. */
  address: () => string;
  /** More documents by path, such as the keys of service accounts. */
  documents?: Readonly<Record<string, () => unknown>>;
}

/** False where there is nothing at the path. */
export async function answerPath(options: PathOptions, exchange: Exchange): Promise<boolean> {
  const { path, query } = exchange.address;
  const health = healthAnswer(path, query, options.checks);
  if (health) {
    await exchange.sendText(health.code, health.text);
    return true;
  }
  if (path.startsWith("/openapi/v3")) return sendOpenApi(options.openApi, exchange);
  const send = answerFor(options, exchange, path.replace(/(?<=.)\/+$/, ""));
  if (!send) return false;
  if (exchange.method !== "GET") throw methodNotAllowed();
  await send();
  return true;
}

function answerFor(options: PathOptions, exchange: Exchange, path: string): (() => Promise<void>) | undefined {
  const value = (make: () => unknown) => () => sendDiscovery(exchange, make());
  if (path === "/version") return value(() => version);
  const document = options.documents?.[path];
  if (document) return value(document);
  const groups = groupsOf(options.served.all());
  if (path === "/") return value(() => ({ paths: pathsOf(groups, options) }));
  const [, root, first, second, ...rest] = path.split("/");
  if ((root !== "api" && root !== "apis") || rest.length > 0) return undefined;
  const group = groups.find(({ name }) => name === (root === "api" ? "" : first));
  const wanted = root === "api" ? first : second;
  if (root === "api" && second !== undefined) return undefined;
  if (first === undefined) return () => sendAll(exchange, groups, root, options.address());
  if (!group) return undefined;
  if (wanted === undefined) return value(() => apiGroup(group));
  const found = group.versions.find((one) => one.version === wanted);
  return value(() => {
    if (!found) throw noSuchPath();
    return apiResourceList(found);
  });
}

/** `/api` and `/apis`: for the one or all groups, in one answer for whoever asks for that. */
async function sendAll(exchange: Exchange, groups: readonly Group[], root: "api" | "apis", address: string) {
  const { accept } = exchange.headers;
  for (const wanted of parseAccept(accept ?? "")) {
    const aggregated = aggregatedVersion(wanted);
    if (aggregated) return sendAggregated(exchange, groups, root, aggregated);
    if (wanted.parameters.as === undefined) break;
  }
  await sendDiscovery(exchange, root === "api" ? apiVersions(address) : apiGroupList(groups));
}

async function sendAggregated(
  exchange: Exchange,
  groups: readonly Group[],
  root: "api" | "apis",
  aggregated: AggregatedVersion,
): Promise<void> {
  const asked = groups.filter(({ name }) => (name === "") === (root === "api"));
  const bytes = Buffer.from(`${JSON.stringify(groupDiscoveryList(asked, aggregated))}\n`);
  const headers = {
    etag: `"${createHash("sha512").update(bytes).digest("hex").toUpperCase()}"`,
    "cache-control": "public",
    vary: "Accept",
  };
  const isKnown = exchange.headers["if-none-match"] === headers.etag;
  await exchange.send(isKnown ? 304 : 200, contentTypeOf(aggregated), isKnown ? Buffer.alloc(0) : bytes, headers);
}

async function sendDiscovery(exchange: Exchange, value: unknown): Promise<void> {
  const { accept } = exchange.headers;
  const isTaken =
    !accept ||
    parseAccept(accept).some(({ type, parameters }) => {
      const isOffered = ["application/json", "application/yaml", "*/*", "application/*"].includes(type);
      return isOffered && parameters.as === undefined;
    });
  if (!isTaken) throw notAcceptable(["application/json", "application/yaml"]);
  await exchange.sendValue(200, value);
}

async function sendOpenApi(openApi: OpenApi, exchange: Exchange): Promise<boolean> {
  const { path, query } = exchange.address;
  const name = path.slice("/openapi/v3".length).replace(/^\/|\/$/g, "");
  if (name === "") {
    await exchange.send(200, "application/json", Buffer.from(JSON.stringify(openApi.index())));
    return true;
  }
  const document = openApi.document(name);
  if (!document) return false;
  const etag = `"${document.hash}"`;
  const wanted = query.get("hash");
  if (wanted && wanted !== document.hash) {
    const location = `/openapi/v3/${name}?hash=${document.hash}`;
    await exchange.send(301, "application/json", Buffer.alloc(0), { location, etag, vary: "Accept" });
  } else if (exchange.headers["if-none-match"] === etag) {
    await exchange.send(304, "application/json", Buffer.alloc(0), { etag, vary: "Accept" });
  } else {
    const headers = { etag, vary: "Accept", ...(wanted && { "cache-control": "public, immutable" }) };
    await exchange.send(200, "application/json", document.bytes, headers);
  }
  return true;
}

function pathsOf(groups: readonly Group[], { documents = {}, checks }: PathOptions): string[] {
  const ofGroups = groups.flatMap(({ name, versions }) => {
    const root = name === "" ? "/api" : `/apis/${name}`;
    return [root, ...versions.map(({ version: one }) => `${root}/${one}`)];
  });
  const health = ["/healthz", "/livez", "/readyz"].flatMap((root) => [
    root,
    ...Object.keys(checks).map((check) => `${root}/${check}`),
  ]);
  return ["/apis", ...Object.keys(documents), ...ofGroups, ...health, "/openapi/v3", "/version"].sort();
}
