import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { issueCertificate, makeCa } from "./certificate.ts";

const from = Date.parse("2026-01-01T00:00:00Z");
const until = Date.parse("2036-01-01T00:00:00Z");

test("a certificate holds before OpenSSL at its strictest", async () => {
  const ca = makeCa("berg-ca", from, until);
  const subject = { commonName: "kube-apiserver", organizations: ["system:masters"] };
  const server = issueCertificate(ca, { subject, usage: "server", names: ["localhost", "::1"], from, until });
  const directory = await mkdtemp(join(tmpdir(), "berg-certificate-"));
  try {
    await writeFile(join(directory, "ca.pem"), ca.certificate);
    await writeFile(join(directory, "server.pem"), server.certificate);
    const args = ["verify", "-x509_strict", "-purpose", "sslserver", "-attime", String(from / 1000 + 60)];
    const openssl = promisify(execFile)("openssl", [...args, "-CAfile", "ca.pem", "server.pem"], { cwd: directory });
    expect((await openssl).stdout).toBe("server.pem: OK\n");
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
