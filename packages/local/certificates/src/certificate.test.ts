import { X509Certificate } from "node:crypto";
import { describe, expect, test } from "vitest";
import { issueCertificate, makeCa, subjectOf } from "./certificate.ts";

const from = Date.parse("2026-01-01T00:00:00Z");
const until = Date.parse("2036-01-01T00:00:00Z");
const ca = makeCa("berg-ca", from, until);

describe("a certificate", () => {
  const server = issueCertificate(ca, {
    subject: { commonName: "kube-apiserver" },
    usage: "server",
    names: ["localhost", "127.0.0.1", "::1", "2001:db8::a:0:1"],
    from,
    until,
  });

  test("is vouched for by its CA, and by no other of the same name", () => {
    const certificate = new X509Certificate(server.certificate);
    expect(certificate.verify(new X509Certificate(ca.certificate).publicKey)).toBe(true);
    expect(certificate.checkIssued(new X509Certificate(ca.certificate))).toBe(true);
    const other = new X509Certificate(makeCa("berg-ca", from, until).certificate);
    expect(certificate.verify(other.publicKey)).toBe(false);
    expect(certificate.checkIssued(other)).toBe(false);
  });

  test("is for the names that were asked for, and for its time", () => {
    const certificate = new X509Certificate(server.certificate);
    expect(certificate.checkHost("localhost")).toBe("localhost");
    expect(certificate.checkHost("example.com")).toBeUndefined();
    for (const address of ["127.0.0.1", "::1", "2001:db8::a:0:1"]) expect(certificate.checkIP(address)).toBe(address);
    expect(certificate.checkIP("10.0.0.1")).toBeUndefined();
    expect([certificate.validFromDate.getTime(), certificate.validToDate.getTime()]).toEqual([from, until]);
    expect(certificate.ca).toBe(false);
    expect(new X509Certificate(ca.certificate).ca).toBe(true);
  });

  test.each([
    { subject: { commonName: "jane", organizations: ["system:masters", "ctf"] } },
    { subject: { commonName: "system:serviceaccount:a:b", organizations: [] } },
    { subject: { commonName: "Jürg, the +1 = one", organizations: ["a/b"] } },
  ])("says who $subject.commonName is", ({ subject }) => {
    const { certificate } = issueCertificate(ca, { subject, usage: "client", from, until });
    expect(subjectOf(new X509Certificate(certificate))).toEqual(subject);
  });
});
