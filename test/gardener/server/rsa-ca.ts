/** A CA as Gardener wants its own: with an RSA key, in the form that PKCS #1 gives it. */
import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import type { KeyAndCertificate } from "@berg/local-certificates";

const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };

export async function makeRsaCa(name: string, from: number, until: number): Promise<KeyAndCertificate> {
  // The library's dependency injection asks for a metadata API that Node lacks, and then makes no use of it.
  Object.assign(Reflect, { getMetadata() {}, getOwnMetadata() {}, defineMetadata() {}, hasOwnMetadata: () => false });
  const x509 = await import("@peculiar/x509");
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const { subtle } = crypto;
  const pkcs8 = privateKey.export({ type: "pkcs8", format: "der" });
  const spki = publicKey.export({ type: "spki", format: "der" });
  const keys = {
    privateKey: await subtle.importKey("pkcs8", pkcs8, algorithm, true, ["sign"]),
    publicKey: await subtle.importKey("spki", spki, algorithm, true, ["verify"]),
  };
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: "01",
    name: `CN=${name}`,
    notBefore: new Date(from),
    notAfter: new Date(until),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const key = createPrivateKey(privateKey.export({ type: "pkcs8", format: "pem" }));
  return {
    key: key.export({ type: "pkcs1", format: "pem" }) as string,
    certificate: `${certificate.toString("pem")}\n`,
  };
}
