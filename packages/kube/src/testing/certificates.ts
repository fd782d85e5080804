/** Certificates for tests: a CA, and what it has signed. */
import type { webcrypto } from "node:crypto";
import type { X509Certificate } from "@peculiar/x509";

export interface TestCa {
  /** PEM. */
  ca: string;
  issue(name: string, altNames?: { dns?: string[]; ip?: string[] }): Promise<{ cert: string; key: string }>;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const validity = { notBefore: new Date("2020-01-01"), notAfter: new Date("2120-01-01") };

// The library's dependency injection asks for a metadata API that Node lacks, and then makes no use of it.
Object.assign(Reflect, { getMetadata() {}, getOwnMetadata() {}, defineMetadata() {}, hasOwnMetadata: () => false });
const x509 = await import("@peculiar/x509");

export async function makeCa(name = "test-ca"): Promise<TestCa> {
  const keys = await makeKeys();
  const ca = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity,
    serialNumber: "01",
    name: `CN=${name}`,
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  });
  let serial = 1;
  return {
    ca: pem(ca),
    async issue(subject, { dns = [], ip = [] } = {}) {
      const own = await makeKeys();
      const names = [
        ...dns.map((value) => ({ type: "dns" as const, value })),
        ...ip.map((value) => ({ type: "ip" as const, value })),
      ];
      const cert = await x509.X509CertificateGenerator.create({
        ...validity,
        serialNumber: (++serial).toString(16).padStart(2, "0"),
        subject: `CN=${subject}`,
        issuer: ca.subject,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: algorithm,
        extensions: names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : [],
      });
      const key = await crypto.subtle.exportKey("pkcs8", own.privateKey);
      return { cert: pem(cert), key: `${x509.PemConverter.encode(key, "PRIVATE KEY")}\n` };
    },
  };
}

function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]) as Promise<webcrypto.CryptoKeyPair>;
}

function pem(certificate: X509Certificate): string {
  return `${certificate.toString("pem")}\n`;
}
