import { once } from "node:events";
import { rename, writeFile } from "node:fs/promises";
import { createServer, get } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { TLSSocket } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeCa } from "../testing/certificates.ts";
import { FakeClock } from "../testing/fake-clock.ts";
import { makeFiles } from "../testing/files.ts";
import type { Connection } from "./connection.ts";
import { loadConnection } from "./load-connection.ts";
import { kubeconfigFor } from "./write-kubeconfig.ts";

const ca = await makeCa("the-ca");
const otherCa = await makeCa("another-ca");
const serverPair = await ca.issue("server", { dns: ["api.inside"], ip: ["127.0.0.1"] });
const ada = await ca.issue("ada");
const bob = await ca.issue("bob");

/** A server that answers with who it takes the caller for: the name in the certificate, and the header. */
async function startServer(pair = serverPair): Promise<string> {
  const server = createServer(
    { ...pair, ca: ca.ca, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      const socket = request.socket as TLSSocket;
      const name = socket.authorized ? socket.getPeerCertificate().subject.CN : "nobody";
      response.end(`${name} ${request.headers.authorization ?? "-"}`);
    },
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function ask(connection: Connection): Promise<string> {
  const authorization = await connection.authorization();
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  get(
    connection.server,
    { ...(await connection.tls()), agent: false, headers: authorization === undefined ? {} : { authorization } },
    (response) => response.setEncoding("utf8").on("data", resolve).on("error", reject),
  ).on("error", reject);
  return promise;
}

async function load(cluster: object, user: object = {}, files: Record<string, string> = {}) {
  const kubeconfig = {
    "current-context": "x",
    contexts: [{ name: "x", context: { cluster: "x", user: "x" } }],
    clusters: [{ name: "x", cluster }],
    users: [{ name: "x", user }],
  };
  const directory = await makeFiles({ ...files, kubeconfig: JSON.stringify(kubeconfig) });
  const connection = loadConnection({ clock: new FakeClock(), kubeconfig: join(directory, "kubeconfig"), env: {} });
  return { directory, connection: await connection };
}

const base64 = (text: string) => Buffer.from(text).toString("base64");

describe("a TLS connection", () => {
  test("trusts the server by an inline CA, and shows inline credentials", async () => {
    const { connection } = await load(
      { server: await startServer(), "certificate-authority-data": base64(ca.ca) },
      { "client-certificate-data": base64(ada.cert), "client-key-data": base64(ada.key), token: "t" },
    );
    expect(await ask(connection)).toBe("ada Bearer t");
  });

  test("works from a kubeconfig that we wrote", async () => {
    const written = kubeconfigFor({ name: "x", server: await startServer(), ca: ca.ca, ...ada });
    const directory = await makeFiles({ written });
    const kubeconfig = join(directory, "written");
    expect(await ask(await loadConnection({ clock: new FakeClock(), env: {}, kubeconfig }))).toBe("ada -");
  });

  test("does not trust a server of another CA, or without one", async () => {
    const server = await startServer();
    const other = await load({ server, "certificate-authority-data": base64(otherCa.ca) });
    await expect(ask(other.connection)).rejects.toThrow("self-signed certificate in certificate chain");
    await expect(ask((await load({ server })).connection)).rejects.toThrow(
      "self-signed certificate in certificate chain",
    );
  });

  test("trusts any server where verification is off", async () => {
    const { connection } = await load({ server: await startServer(), "insecure-skip-tls-verify": true });
    expect(await ask(connection)).toBe("nobody -");
  });

  test("looks for the name that is given rather than the one in the URL", async () => {
    const server = await startServer(await ca.issue("server", { dns: ["api.inside"] }));
    const cluster = { server, "certificate-authority-data": base64(ca.ca) };
    await expect(ask((await load(cluster)).connection)).rejects.toThrow("Hostname/IP does not match");
    const { connection } = await load({ ...cluster, "tls-server-name": "api.inside" });
    expect(await ask(connection)).toBe("nobody -");
  });

  test("uses CA and client certificate files as they are at that moment", async () => {
    const server = await startServer();
    const { directory, connection } = await load(
      { server, "certificate-authority": "ca.crt" },
      { "client-certificate": "tls.crt", "client-key": "tls.key" },
      { "ca.crt": otherCa.ca, "tls.crt": ada.cert, "tls.key": ada.key },
    );
    await expect(ask(connection)).rejects.toThrow("self-signed certificate in certificate chain");
    await writeFile(join(directory, "ca.crt"), ca.ca);
    expect(await ask(connection)).toBe("ada -");
    await writeFile(join(directory, "tls.crt"), bob.cert);
    await writeFile(join(directory, "tls.key"), bob.key);
    expect(await ask(connection)).toBe("bob -");
    await rename(join(directory, "tls.key"), join(directory, "gone"));
    await expect(ask(connection)).rejects.toThrow(/cannot read .*tls.key \(client-key of user "x" in .*no such file/);
  });

  test("uses what a plugin answers, certificate and token", async () => {
    const answer = {
      apiVersion: "client.authentication.k8s.io/v1",
      kind: "ExecCredential",
      status: { token: "t", clientCertificateData: bob.cert, clientKeyData: bob.key },
    };
    const exec = { apiVersion: answer.apiVersion, interactiveMode: "Never", command: "/bin/cat", args: ["answer"] };
    const directory = await makeFiles({ answer: JSON.stringify(answer) });
    const { connection } = await load(
      { server: await startServer(), "certificate-authority-data": base64(ca.ca) },
      { exec: { ...exec, args: [join(directory, "answer")] } },
    );
    expect(await ask(connection)).toBe("bob Bearer t");
  });
});

describe("loading", () => {
  const cluster = { server: "https://x", "certificate-authority-data": base64(ca.ca) };
  const pair = { "client-certificate": "c", "client-key": "k" };
  test.each([
    {
      name: "a missing CA file",
      cluster: { server: "https://x", "certificate-authority": "no.crt" },
      want: /^cannot read \S+\/no.crt \(certificate-authority of cluster "x" in \S+\/kubeconfig\): there is no such file$/,
    },
    {
      name: "a CA file that is a directory",
      cluster: { server: "https://x", "certificate-authority": "." },
      want: /\(certificate-authority of cluster "x" in \S+\): it is a directory$/,
    },
    {
      name: "a CA file without a certificate",
      cluster: { server: "https://x", "certificate-authority": "ca" },
      files: { ca: "s3cret" },
      want: /^\S+\/ca \(certificate-authority of cluster "x" in \S+\) holds no certificate in PEM form$/,
    },
    {
      name: "inline data that is no certificate",
      cluster: { server: "https://x", "certificate-authority-data": base64("s3cret") },
      want: /^certificate-authority-data of cluster "x" in \S+ holds no certificate in PEM form$/,
    },
    {
      name: "a missing client certificate",
      cluster,
      user: pair,
      files: { k: ada.key },
      want: /\/c \(client-certificate of user "x" in \S+\): there is no such file$/,
    },
    {
      name: "a key of another certificate",
      cluster,
      user: pair,
      files: { c: ada.cert, k: bob.key },
      want: /^\S+\/k \(client-key of user "x" in \S+\) is not the private key, .* of \S+\/c \(client-certificate of/,
    },
    {
      name: "a key that is none",
      cluster,
      user: pair,
      files: { c: ada.cert, k: "s3cret" },
      want: /\/k \(client-key of user "x" in \S+\) is not the private key/,
    },
    {
      name: "a missing token file",
      cluster,
      user: { tokenFile: "t" },
      want: /\/t \(tokenFile of user "x" in \S+\): there is no such file$/,
    },
  ])("tells of $name at once", async ({ cluster, user, files, want }) => {
    const error = await load(cluster, user, files).catch((error: Error) => error);
    expect(error).toHaveProperty("name", "ConfigurationError");
    expect(error).toHaveProperty("message", expect.stringMatching(want));
    expect(String(error)).not.toContain("s3cret");
  });

  test("does not run a plugin, but checks what stands beside it", async () => {
    const exec = { apiVersion: "client.authentication.k8s.io/v1", interactiveMode: "Never", command: "no-such-login" };
    const { connection } = await load(cluster, { exec });
    await expect(connection.tls()).rejects.toThrow("is not installed");
    await expect(load({ server: "https://x", "certificate-authority": "no" }, { exec })).rejects.toThrow(
      "no such file",
    );
  });

  test("keeps credentials off a connection that is not encrypted", async () => {
    const { connection } = await load({ server: "http://localhost:8001" }, { token: "t", ...pair });
    expect(await connection.authorization()).toBeUndefined();
    expect(await connection.tls()).toEqual({ rejectUnauthorized: true });
  });
});
