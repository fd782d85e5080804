import { describe, expect, test } from "vitest";
import { readCluster } from "./cluster.ts";
import { ConfigurationError } from "./configuration-error.ts";
import { Entry } from "./entry.ts";

const cluster = (fields: object) => new Entry('cluster "c" in /etc/kube/config', "/etc/kube/config", fields);
const data = Buffer.from("PEM").toString("base64");

describe("a cluster", () => {
  test.each([
    { server: "https://api.example:6443", want: "https://api.example:6443" },
    { server: "https://api.example/", want: "https://api.example" },
    { server: "https://api.example:443/k8s/clusters/c-1//", want: "https://api.example/k8s/clusters/c-1" },
    { server: "https://[fd00::1]:6443", want: "https://[fd00::1]:6443" },
    { server: "http://localhost:8001?x=y#z", want: "http://localhost:8001" },
  ])("at $server has the base URL $want", ({ server, want }) => {
    expect(readCluster(cluster({ server })).server).toBe(want);
  });

  test("has all that TLS needs, with paths from where its file is", () => {
    const server = "https://x";
    expect(readCluster(cluster({ server, "certificate-authority": "pki/ca.crt", "tls-server-name": "k" }))).toEqual({
      server,
      ca: { what: 'certificate-authority of cluster "c" in /etc/kube/config', file: "/etc/kube/pki/ca.crt" },
      servername: "k",
      skipVerify: false,
    });
    expect(readCluster(cluster({ server, "certificate-authority-data": data })).ca).toMatchObject({ data: "PEM" });
    expect(readCluster(cluster({ server, "insecure-skip-tls-verify": true })).skipVerify).toBe(true);
  });

  test.each([
    { name: "no server", fields: {}, want: "has no server" },
    { name: "no scheme", fields: { server: "localhost:8080" }, want: "has a wrong server: it is not a URL that begin" },
    { name: "no URL", fields: { server: "s3cret" }, want: "has a wrong server: it is not a URL that begins with http" },
    { name: "a password", fields: { server: "https://a:s3cret@x" }, want: "has a user name or password in its server" },
    {
      name: "a proxy",
      fields: { server: "https://x", "proxy-url": "http://y" },
      want: "has a proxy-url, which is not",
    },
    {
      name: "two CAs",
      fields: { server: "https://x", "certificate-authority": "a", "certificate-authority-data": data },
      want: "has both certificate-authority and certificate-authority-data: remove one",
    },
    {
      name: "a CA that is not looked at",
      fields: { server: "https://x", "certificate-authority": "a", "insecure-skip-tls-verify": true },
      want: "has both insecure-skip-tls-verify and a certificate-authority: remove the first",
    },
    {
      name: "bad base64",
      fields: { server: "https://x", "certificate-authority-data": "s3cret!" },
      want: "has a wrong certificate-authority-data: it is not base64",
    },
    {
      name: "text for a flag",
      fields: { server: "https://x", "insecure-skip-tls-verify": "yes" },
      want: "has a wrong insecure-skip-tls-verify: it is text, not true or false",
    },
  ])("with $name is refused", ({ fields, want }) => {
    const read = () => readCluster(cluster(fields));
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow(`cluster "c" in /etc/kube/config ${want}`);
    expect(read).not.toThrow("s3cret");
  });
});
