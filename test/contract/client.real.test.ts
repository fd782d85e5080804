import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCa } from "@berg/kube/testing/certificates";
import { describe } from "vitest";
import { missingControlPlane } from "../control-plane/binaries.ts";
import { startControlPlane } from "../control-plane/control-plane.ts";
import { clientContract } from "./contract.ts";
import type { Subject } from "./given.ts";

describe.skipIf(await missingControlPlane())("the client on a real API server", () => {
  clientContract(async (): Promise<Subject> => {
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
  });
});
