import { X509Certificate } from "node:crypto";
import { makeCa, subjectOf } from "@berg/local-certificates";
import { expect, test } from "vitest";
import { parse } from "yaml";
import type { TestShoot } from "./kinds.ts";
import { type Asked, answerKubeconfigRequest } from "./kubeconfig-request.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const target = { clientCa: makeCa("client-ca", now, now + 1e10), serverCa: makeCa("ca", now, now + 1e10).certificate };
const shoot: TestShoot = {
  apiVersion: "core.gardener.cloud/v1beta1",
  kind: "Shoot",
  metadata: { name: "one", namespace: "garden-berg" },
  spec: {},
  status: {
    advertisedAddresses: [
      { name: "external", url: "https://external" },
      { name: "service-account-issuer", url: "https://issuer" },
      { name: "internal", url: "https://internal" },
    ],
  },
};
const answer = (more: Partial<Asked> = {}) =>
  answerKubeconfigRequest({ subresource: "adminkubeconfig", body: {}, caller: "jane", shoot, target, now, ...more });
const asking = (expirationSeconds: number) => answer({ body: { spec: { expirationSeconds } } });
const expiryOf = ({ body }: { body: object }) =>
  (body as { status: { expirationTimestamp: string } }).status.expirationTimestamp;
const kubeconfigOf = ({ body }: { body: object }) =>
  parse(Buffer.from((body as { status: { kubeconfig: string } }).status.kubeconfig, "base64").toString("utf8"));

test("a certificate says who asked, of which group, and until when", () => {
  for (const [subresource, role] of [
    ["adminkubeconfig", "admin"],
    ["viewerkubeconfig", "viewer"],
  ] as const) {
    const [{ user }] = kubeconfigOf(answer({ subresource })).users;
    const certificate = new X509Certificate(Buffer.from(user["client-certificate-data"], "base64"));
    expect(subjectOf(certificate)).toEqual({
      commonName: `gardener.cloud:${role}:jane`,
      organizations: [`gardener.cloud:project:${role}s`],
    });
    expect(certificate.validToDate.toISOString()).toBe("2026-01-01T01:00:00.000Z");
    expect(certificate.verify(new X509Certificate(target.clientCa.certificate).publicKey)).toBe(true);
  }
});

test("each address of the API server is a cluster, the first one the current", () => {
  const kubeconfig = kubeconfigOf(answer());
  const servers = kubeconfig.clusters.map(({ cluster }: { cluster: { server: string } }) => cluster.server);
  expect(servers).toEqual(["https://external", "https://internal"]);
  expect(kubeconfig["current-context"]).toBe("garden-berg--one-external");
});

test("it holds for as long as asked, within bounds", () => {
  expect(expiryOf(asking(600))).toBe("2026-01-01T00:10:00Z");
  expect(expiryOf(answer())).toBe("2026-01-01T01:00:00Z");
  expect(expiryOf(asking(1e6))).toBe("2026-01-02T00:00:00Z");
});

test.each([
  ["too short a time", asking(599), 422],
  ["no address", answer({ shoot: { ...shoot, status: {} } }), 422],
  ["no CA", answer({ target: undefined }), 500],
])("%s is refused", (_, { status, body }, code) => {
  expect(status).toBe(code);
  expect(body).toMatchObject({ kind: "Status", status: "Failure", code });
});
