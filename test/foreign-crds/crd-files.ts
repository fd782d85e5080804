/**
 * The CRDs of others that instances need, as their authors published them: in the Go modules that go.mod pins, which
 * `go` fetches once and keeps outside the checkout.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { KubeObject } from "@berg/apimachinery";
import { parse } from "yaml";
import { runGo } from "./go.ts";

const gatewayApi = { module: "sigs.k8s.io/gateway-api", folder: "config/crd/standard" };
const cilium = { module: "github.com/cilium/cilium", folder: "pkg/k8s/apis/cilium.io/client/crds/v2" };

const sources = {
  gatewayclasses: { ...gatewayApi, file: "gateway.networking.k8s.io_gatewayclasses.yaml" },
  gateways: { ...gatewayApi, file: "gateway.networking.k8s.io_gateways.yaml" },
  httproutes: { ...gatewayApi, file: "gateway.networking.k8s.io_httproutes.yaml" },
  tlsroutes: { ...gatewayApi, file: "gateway.networking.k8s.io_tlsroutes.yaml" },
  referencegrants: { ...gatewayApi, file: "gateway.networking.k8s.io_referencegrants.yaml" },
  ciliumnetworkpolicies: { ...cilium, file: "ciliumnetworkpolicies.yaml" },
} as const;

export type ForeignCrd = keyof typeof sources;
export const foreignCrds = Object.keys(sources) as ForeignCrd[];

export interface Crd extends KubeObject {
  spec: {
    group: string;
    scope: string;
    names: { kind: string; plural: string };
    versions: { name: string; served: boolean; storage: boolean; deprecated?: boolean }[];
  };
  status?: { conditions?: { type: string; status: string }[] };
}

/** Why the CRDs of others cannot be had here, or nothing. `describe.skipIf(await missingForeignCrds())(…)` */
export async function missingForeignCrds(): Promise<string | undefined> {
  try {
    await modules();
    return undefined;
  } catch (error) {
    return `the CRDs of Gateway API and Cilium cannot be fetched: ${(error as Error).message}`;
  }
}

export async function readForeignCrd(name: ForeignCrd): Promise<Crd> {
  return parse(await readFile(await crdFile(name), "utf8"));
}

async function crdFile(name: ForeignCrd): Promise<string> {
  const { module, folder, file } = sources[name];
  const directory = (await modules()).get(module);
  if (directory === undefined) throw new Error(`go.mod requires no ${module}`);
  return join(directory, folder, file);
}

let fetched: Promise<Map<string, string>> | undefined;

/** The directory of each module. */
function modules(): Promise<Map<string, string>> {
  fetched ??= fetchModules();
  return fetched;
}

async function fetchModules(): Promise<Map<string, string>> {
  const paths = [gatewayApi.module, cilium.module];
  await runGo(["mod", "download", ...paths]);
  const lines = (await runGo(["list", "-m", "-f", "{{.Path}} {{.Dir}}", ...paths])).trim().split("\n");
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)]));
}
