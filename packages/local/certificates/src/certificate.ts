/** Certificates of our own CA: of the server, and of users, whose name and groups stand in them as Kubernetes reads it. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  X509Certificate,
} from "node:crypto";
import { isIPv4, isIPv6 } from "node:net";
import { bits, boolean, integer, octets, oid, sequence, set, tagged, time, utf8 } from "./der.ts";

/** Both as PEM. */
export interface KeyAndCertificate {
  key: string;
  certificate: string;
}

export interface Subject {
  commonName: string;
  organizations?: readonly string[];
}

export interface Wanted {
  subject: Subject;
  usage: "server" | "client";
  /** Names and addresses under which a server is reached. */
  names?: readonly string[];
  /** ms since 1970. */
  from: number;
  until: number;
}

/** A CA that signs itself. */
export function makeCa(commonName: string, from: number, until: number): KeyAndCertificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  const spki = publicKey.export({ type: "spki", format: "der" });
  const extensions = [
    extension(oids.basicConstraints, sequence(boolean(true)), true),
    extension(oids.keyUsage, bits(Buffer.from([keyUsages.signCertificates]), 1), true),
    extension(oids.subjectKeyId, octets(keyId(spki))),
  ];
  const name = nameOf({ commonName });
  return { key, certificate: signed({ issuer: name, subject: name, spki, extensions, from, until }, key) };
}

/** A certificate that the CA vouches for, with a key of its own. */
export function issueCertificate(
  ca: KeyAndCertificate,
  { subject, usage, names = [], from, until }: Wanted,
): KeyAndCertificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }) as string;
  const authority = new X509Certificate(ca.certificate);
  const authoritySpki = createPublicKey(createPrivateKey(ca.key)).export({ type: "spki", format: "der" });
  const extensions = [
    extension(oids.basicConstraints, sequence(), true),
    extension(oids.keyUsage, bits(Buffer.from([keyUsages.sign]), 7), true),
    extension(oids.extendedKeyUsage, sequence(oid(usage === "server" ? oids.serverAuth : oids.clientAuth))),
    extension(oids.authorityKeyId, sequence(tagged(0, false, keyId(authoritySpki)))),
    ...(names.length > 0 ? [extension(oids.subjectAltName, sequence(...names.map(altName)))] : []),
  ];
  const issuer = nameOf({ commonName: commonNameOf(authority) });
  const spki = publicKey.export({ type: "spki", format: "der" });
  return { key, certificate: signed({ issuer, subject: nameOf(subject), spki, extensions, from, until }, ca.key) };
}

/** Of a certificate that we or another CA made: `CN=jane` and `O=system:masters` in any number. */
export function subjectOf(certificate: X509Certificate): Required<Subject> {
  // Of names that stand there several times Node makes a list. What it says in one text would have to be unescaped.
  const { CN = [], O = [] } = certificate.toLegacyObject().subject as { CN?: string | string[]; O?: string | string[] };
  return { commonName: [CN].flat().at(-1) ?? "", organizations: [O].flat() };
}

const oids = {
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  commonName: "2.5.4.3",
  organization: "2.5.4.10",
  subjectKeyId: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyId: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
  serverAuth: "1.3.6.1.5.5.7.3.1",
  clientAuth: "1.3.6.1.5.5.7.3.2",
};

/** Bits from the left: digitalSignature is the first, keyCertSign and cRLSign the sixth and seventh. */
const keyUsages = { sign: 0b1000_0000, signCertificates: 0b1000_0110 };

interface ToSign {
  issuer: Buffer;
  subject: Buffer;
  /** The public key, in DER. */
  spki: Buffer;
  extensions: Buffer[];
  from: number;
  until: number;
}

function signed({ issuer, subject, spki, extensions, from, until }: ToSign, signingKey: string): string {
  const algorithm = sequence(oid(oids.ecdsaWithSha256));
  const version3 = tagged(0, true, integer(Buffer.from([2])));
  const validity = sequence(time(from), time(until));
  const body = sequence(
    version3,
    integer(randomBytes(16)),
    algorithm,
    issuer,
    validity,
    subject,
    spki,
    tagged(3, true, sequence(...extensions)),
  );
  const certificate = sequence(body, algorithm, bits(sign("sha256", body, signingKey)));
  const lines = certificate.toString("base64").replace(/.{64}(?=.)/g, "$&\n");
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}

function nameOf({ commonName, organizations = [] }: Subject): Buffer {
  const part = (type: string, value: string) => set(sequence(oid(type), utf8(value)));
  return sequence(...organizations.map((name) => part(oids.organization, name)), part(oids.commonName, commonName));
}

function commonNameOf(certificate: X509Certificate): string {
  return subjectOf(certificate).commonName;
}

function extension(id: string, value: Buffer, isCritical = false): Buffer {
  return sequence(oid(id), ...(isCritical ? [boolean(true)] : []), octets(value));
}

/** What ties a certificate to the one above it where two CAs have the same name. */
function keyId(spki: Buffer): Buffer {
  return createHash("sha1").update(spki).digest();
}

function altName(name: string): Buffer {
  if (isIPv4(name)) return tagged(7, false, Buffer.from(name.split(".").map(Number)));
  if (isIPv6(name)) return tagged(7, false, ipv6Bytes(name));
  return tagged(2, false, Buffer.from(name, "ascii"));
}

function ipv6Bytes(address: string): Buffer {
  const [head = "", tail] = address.split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16)));
  const [before, after] = [groups(head), groups(tail ?? "")];
  const zeros = tail === undefined ? [] : new Array<number>(8 - before.length - after.length).fill(0);
  return Buffer.from([...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 0xff]));
}
