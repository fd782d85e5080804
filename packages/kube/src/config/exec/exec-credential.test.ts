import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeCa } from "../../testing/certificates.ts";
import { ConfigurationError } from "../configuration-error.ts";
import type { ExecConfig } from "./exec-config.ts";
import { execInfo, parseExecCredential } from "./exec-credential.ts";

const apiVersion = "client.authentication.k8s.io/v1";
const exec: ExecConfig = {
  what: "exec of user",
  apiVersion,
  command: "login",
  args: [],
  env: {},
  provideClusterInfo: false,
  interactiveMode: "Never",
};
const answer = (status: unknown, more: object = {}) =>
  JSON.stringify({ apiVersion, kind: "ExecCredential", status, ...more });

describe("what a plugin is told", () => {
  const cluster = { server: "https://x", servername: "k", skipVerify: false, pluginConfig: { audience: "a" } };

  test("is only whether it may ask a person", () => {
    expect(JSON.parse(execInfo(exec, true, cluster, "CA"))).toEqual({
      apiVersion,
      kind: "ExecCredential",
      spec: { interactive: true },
    });
  });

  test("is the cluster too where it wants that", () => {
    expect(JSON.parse(execInfo({ ...exec, provideClusterInfo: true }, false, cluster, "CA"))).toEqual({
      apiVersion,
      kind: "ExecCredential",
      spec: {
        interactive: false,
        cluster: {
          server: "https://x",
          "tls-server-name": "k",
          "certificate-authority-data": "Q0E=",
          config: { audience: "a" },
        },
      },
    });
  });
});

describe("what a plugin answers", () => {
  test("may be a token, a certificate or both, and expire", async () => {
    const { cert, key } = await (await makeCa()).issue("ada");
    expect(parseExecCredential(exec, answer({ token: "t" }))).toEqual({ token: "t" });
    const both = {
      token: "t",
      clientCertificateData: cert,
      clientKeyData: key,
      expirationTimestamp: "2026-01-01T01:00:00+01:00",
    };
    expect(parseExecCredential(exec, answer(both))).toEqual({
      token: "t",
      certificate: { cert, key },
      expiresAt: Date.parse("2026-01-01T00:00:00Z"),
    });
  });

  test.each([
    { stdout: "", want: "is not a JSON object" },
    { stdout: '{"status": {"token": "s3cret"', want: "is not a JSON object" },
    { stdout: "[]", want: "is not a JSON object" },
    { stdout: answer({ token: "s3cret" }, { kind: "Secret" }), want: 'is not of kind "ExecCredential"' },
    {
      stdout: answer({ token: "s3cret" }, { apiVersion: "client.authentication.k8s.io/v1beta1" }),
      want: `is not of apiVersion "${apiVersion}", as configured`,
    },
    { stdout: answer(undefined), want: "has no status" },
    { stdout: answer({}), want: "holds no token and no certificate" },
    { stdout: answer({ token: 1234 }), want: "has a wrong token: it is not text" },
    { stdout: answer({ token: "s3cret s3cret" }), want: "has a wrong token: there are spaces or the like in it" },
    {
      stdout: answer({ token: "t", clientKeyData: "s3cret" }),
      want: "holds only one of clientCertificateData and clientKeyData",
    },
    {
      stdout: answer({ clientCertificateData: "s3cret", clientKeyData: "s3cret" }),
      want: "holds a clientCertificateData and a clientKeyData that are not PEM or do not belong together",
    },
    {
      stdout: answer({ token: "t", expirationTimestamp: "tomorrow" }),
      want: "has a wrong expirationTimestamp: it is not a time as in RFC 3339",
    },
    {
      stdout: answer({ token: "t", expirationTimestamp: "2026-02-30T00:00:00Z" }),
      want: "has a wrong expirationTimestamp: it is not a time as in RFC 3339",
    },
  ])("is refused when it $want", ({ stdout, want }) => {
    expect(() => parseExecCredential(exec, stdout)).toThrow(
      new ConfigurationError(`the answer of exec of user ${want}`),
    );
  });

  test("gives a ConfigurationError for any rubbish", () => {
    const field = fc.constantFrom("token", "clientCertificateData", "clientKeyData", "expirationTimestamp");
    const stdout = fc.oneof(
      fc.string(),
      fc.json(),
      fc.dictionary(field, fc.jsonValue()).map((status) => answer(status)),
    );
    fc.assert(
      fc.property(stdout, (stdout) => {
        try {
          parseExecCredential(exec, stdout);
        } catch (error) {
          if (!(error instanceof ConfigurationError)) throw error;
        }
      }),
    );
  });
});
