/** The control planes that the contract is put to. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCa } from "@berg/kube/testing/certificates";
import { startLocalControlPlane } from "@berg/local-control-plane";
import { startControlPlane } from "../control-plane/control-plane.ts";
import type { Subject } from "./given.ts";

export async function realSubject(): Promise<Subject> {
  const directory = await mkdtemp(join(tmpdir(), "berg-contract-"));
  const { ca, issue } = await makeCa();
  const caFile = join(directory, "clients.crt");
  await writeFile(caFile, ca);
  const controlPlane = await startControlPlane({ scheduler: false, apiServerFlags: [`--client-ca-file=${caFile}`] });
  return {
    connection: controlPlane.connection,
    kubeconfig: controlPlane.kubeconfig,
    connectWith: controlPlane.connectWith,
    issueClientCertificate: issue,
    forgetHistory: () => controlPlane.compactEtcd(),
    async stop() {
      await controlPlane.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

export async function embeddedSubject(): Promise<Subject> {
  const directory = await mkdtemp(join(tmpdir(), "berg-contract-"));
  const { apiServer, stop } = await startLocalControlPlane({ dataDir: directory, scheduler: false });
  return {
    connection: apiServer.connection,
    kubeconfig: join(directory, "kubeconfig"),
    connectWith: apiServer.connectWith,
    issueClientCertificate: async (name) => apiServer.issueClientCertificate({ name, groups: [] }),
    forgetHistory: async () => apiServer.forgetHistory(),
    async stop() {
      await stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
