/**
 * How kube-apiserver passes requests on to gardener-apiserver: with a certificate of its own, and the caller's name in
 * headers, which the other believes because of that certificate.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { defineResource, type KubeObject, StatusError } from "@berg/apimachinery";
import { type Client, systemClock } from "@berg/kube";
import { issueCertificate, makeCa } from "@berg/local-certificates";

const life = () => ({ from: systemClock.now() - 3600_000, until: systemClock.now() + 10 * 24 * 3600_000 });

/** Flags for kube-apiserver; the files that they name are written here. */
export async function aggregatorFlags(directory: string): Promise<string[]> {
  const { from, until } = life();
  const ca = makeCa("front-proxy-ca", from, until);
  const wanted = { subject: { commonName: "front-proxy-client" }, usage: "client", from, until } as const;
  const { key, certificate } = issueCertificate(ca, wanted);
  const file = async (name: string, text: string) => {
    await writeFile(join(directory, name), text, { mode: 0o600 });
    return join(directory, name);
  };
  const clientCa = makeCa("client-ca", from, until);
  return [
    // Nobody has a certificate of it; without one gardener-apiserver waits for it in vain.
    `--client-ca-file=${await file("client-ca.crt", clientCa.certificate)}`,
    `--requestheader-client-ca-file=${await file("front-proxy-ca.crt", ca.certificate)}`,
    "--requestheader-allowed-names=front-proxy-client",
    "--requestheader-username-headers=X-Remote-User",
    "--requestheader-group-headers=X-Remote-Group",
    "--requestheader-extra-headers-prefix=X-Remote-Extra-",
    `--proxy-client-cert-file=${await file("front-proxy-client.crt", certificate)}`,
    `--proxy-client-key-file=${await file("front-proxy-client.key", key)}`,
  ];
}

type WithSpec = KubeObject & { spec: object };
const Services = defineResource<WithSpec>({
  group: "",
  version: "v1",
  resource: "services",
  kind: "Service",
  namespaced: true,
});
const APIServices = defineResource<WithSpec & { status?: { conditions?: { type: string; status: string }[] } }>({
  group: "apiregistration.k8s.io",
  version: "v1",
  resource: "apiservices",
  kind: "APIService",
  namespaced: false,
});

const groups = [
  { group: "core.gardener.cloud", version: "v1beta1" },
  { group: "core.gardener.cloud", version: "v1" },
  { group: "security.gardener.cloud", version: "v1alpha1" },
  { group: "settings.gardener.cloud", version: "v1alpha1" },
  { group: "seedmanagement.gardener.cloud", version: "v1alpha1" },
  { group: "operations.gardener.cloud", version: "v1alpha1" },
] as const;

const service = { name: "gardener-apiserver", namespace: "kube-system" };
/** What kube-apiserver expects to find in the other's certificate. */
export const serverName = `${service.name}.${service.namespace}.svc`;

/** Resolves when kube-apiserver reaches every group. */
export async function register(client: Client, { port, ca }: { port: number; ca: string }): Promise<void> {
  await client.create(Services, { metadata: service, spec: { type: "ExternalName", externalName: "localhost" } });
  const names = await Promise.all(
    groups.map(async ({ group, version }) => {
      const name = `${version}.${group}`;
      const caBundle = Buffer.from(ca).toString("base64");
      const priorities = { groupPriorityMinimum: 100, versionPriority: 100 };
      const spec = { group, version, service: { ...service, port }, caBundle, ...priorities };
      await client.create(APIServices, { metadata: { name }, spec });
      return name;
    }),
  );
  for (const name of names) while (!(await isAvailable(client, name))) await delay(100);
  // Said a moment before it is so.
  for (const { group, version } of groups)
    while (!(await isServed(client, `/apis/${group}/${version}`))) await delay(100);
}

async function isServed(client: Client, path: string): Promise<boolean> {
  try {
    await client.raw(path);
    return true;
  } catch (error) {
    if (error instanceof StatusError) return false;
    throw error;
  }
}

async function isAvailable(client: Client, name: string): Promise<boolean> {
  const { status } = await client.get(APIServices, "", name);
  return status?.conditions?.some(({ type, status }) => type === "Available" && status === "True") ?? false;
}
