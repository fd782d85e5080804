/**
 * The keys of one control plane: its CA, the server's certificate, the key that signs tokens of service accounts, and the
 * administrator's token. Made at the first start and kept in the data directory, readable by its owner alone.
 */
import { generateKeyPairSync, randomBytes, X509Certificate } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";
import type { Clock } from "@berg/kube";
import { issueCertificate, type KeyAndCertificate, makeCa } from "@berg/local-certificates";

export interface Credentials {
  ca: KeyAndCertificate;
  server: KeyAndCertificate;
  /** PEM. */
  serviceAccountKey: string;
  adminToken: string;
}

const day = 24 * 3_600_000;
const caDays = 3650;
const serverDays = 365;
/** A server that runs on for weeks must not outlive its certificate. */
const renewDays = 90;
/** Clocks of other machines may be behind. */
const earlierMs = 3_600_000;

/** What a client of the cluster calls its API server, beside the names under which this one is reached. */
const usualNames = [
  "localhost",
  "127.0.0.1",
  "::1",
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster.local",
];

/** `directory` undefined: nothing is kept. */
export async function loadCredentials(
  directory: string | undefined,
  names: readonly string[],
  clock: Clock,
): Promise<Credentials> {
  const keep = directory === undefined ? inMemory() : await inFiles(directory);
  const now = clock.now();
  const ca = await keep.pair("ca", () => makeCa("berg-ca", now - earlierMs, now + caDays * day));
  const wanted = [...new Set([...usualNames, ...names])];
  const isGood = ({ certificate }: KeyAndCertificate) => isServerCertificate(certificate, ca, wanted, now);
  const issue = () =>
    issueCertificate(ca, {
      subject: { commonName: "kube-apiserver" },
      usage: "server",
      names: wanted,
      from: now - earlierMs,
      until: now + serverDays * day,
    });
  return {
    ca,
    server: await keep.pair("server", issue, isGood),
    serviceAccountKey: await keep.text("service-account.key", newKey),
    adminToken: await keep.text("admin.token", () => randomBytes(32).toString("base64url")),
  };
}

function isServerCertificate(pem: string, ca: KeyAndCertificate, names: string[], now: number): boolean {
  const certificate = new X509Certificate(pem);
  const isFor = (name: string) => (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) !== undefined;
  return (
    certificate.verify(new X509Certificate(ca.certificate).publicKey) &&
    certificate.validToDate.getTime() - now > renewDays * day &&
    names.every(isFor)
  );
}

function newKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }) as string;
}

interface Keeper {
  text(name: string, make: () => string, isGood?: (text: string) => boolean): Promise<string>;
  pair(
    name: string,
    make: () => KeyAndCertificate,
    isGood?: (pair: KeyAndCertificate) => boolean,
  ): Promise<KeyAndCertificate>;
}

function inMemory(): Keeper {
  return { text: async (_, make) => make(), pair: async (_, make) => make() };
}

async function inFiles(directory: string): Promise<Keeper> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const read = (name: string) =>
    readFile(join(directory, name), "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    });
  // Whole or not at all: half a key would keep the server from ever starting again.
  const write = async (name: string, text: string) => {
    const path = join(directory, name);
    await writeFile(`${path}.new`, text, { mode: 0o600 });
    await rename(`${path}.new`, path);
  };
  const text: Keeper["text"] = async (name, make, isGood = () => true) => {
    const known = await read(name);
    if (known !== undefined && isGood(known)) return known;
    const made = make();
    await write(name, made);
    return made;
  };
  return {
    text,
    async pair(name, make, isGood = () => true) {
      // In one file, so that no key is ever beside the certificate of another.
      const separator = "\n\n";
      const split = (both: string): KeyAndCertificate => {
        const [key = "", certificate = ""] = both.split(separator);
        return { key, certificate };
      };
      const join = ({ key, certificate }: KeyAndCertificate) => `${key}${separator}${certificate}`;
      return split(
        await text(
          `${name}.pem`,
          () => join(make()),
          (both) => isGood(split(both)),
        ),
      );
    },
  };
}
