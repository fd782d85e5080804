import { createPrivateKey, X509Certificate } from "node:crypto";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import {
  base64,
  canary,
  kubeconfigObject,
  kubeconfigText,
  type Parts,
  pairData,
  testCa,
  testPair,
} from "../testing/kubeconfigs.ts";
import { readKubeconfig } from "./kubeconfig.ts";
import { KubeconfigProblem } from "./problem.ts";

function problemOf(text: string): KubeconfigProblem {
  try {
    readKubeconfig(text);
  } catch (error) {
    if (error instanceof KubeconfigProblem) return error;
    throw error;
  }
  throw new Error("it was accepted");
}

/** Of 16384 bits, and of no use: real ones take minutes to make. */
function longKey(): string {
  const number = (bytes: number) => Buffer.alloc(bytes, 0xff).toString("base64url");
  const parts = {
    d: number(2000),
    p: number(1024),
    q: number(1024),
    dp: number(1000),
    dq: number(1000),
    qi: number(1000),
  };
  const key = createPrivateKey({ format: "jwk", key: { kty: "RSA", n: number(2048), e: "AQAB", ...parts } });
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

const jwt = (payload: unknown) => `e30.${Buffer.from(JSON.stringify(payload)).toString("base64url")}.sig`;

describe("a kubeconfig of somebody else", () => {
  test("gives a server, its CA and a token", () => {
    expect(readKubeconfig(kubeconfigText({ server: "https://target.example:6443/k8s/" }))).toEqual({
      server: "https://target.example:6443/k8s",
      ca: testCa.trimEnd().concat("\n"),
      credentials: { token: canary },
      expiresAt: undefined,
    });
  });

  test("or a client certificate, with its end", () => {
    const { credentials, expiresAt } = readKubeconfig(kubeconfigText({ user: pairData }));
    expect(credentials).toMatchObject({ cert: testPair.cert.trimEnd().concat("\n") });
    expect(expiresAt).toBe(Date.parse(new X509Certificate(testPair.cert).validTo));
  });

  test("knows the end of a token that tells it", () => {
    const endOf = (token: string) => readKubeconfig(kubeconfigText({ user: { token } })).expiresAt;
    expect(endOf(jwt({ exp: 1_800_000_000 }))).toBe(1_800_000_000_000);
    expect([jwt({}), jwt(null), jwt({ exp: "soon" }), jwt({ exp: 1e300 }), "a.b.c"].map(endOf)).toEqual(
      Array(5).fill(undefined),
    );
  });

  test("may say what does no harm", () => {
    const extensions = [{ name: "minikube", extension: { version: "1" } }];
    const parts = {
      cluster: { extensions, "disable-compression": true, "insecure-skip-tls-verify": false, "proxy-url": "" },
      context: { namespace: "x" },
      root: { preferences: {} },
    };
    expect(readKubeconfig(kubeconfigText(parts)).server).toBe("https://target.example:6443");
  });

  const hostile: [string, Parts, string, RegExp][] = [
    [
      "a program",
      { user: { exec: { command: canary } } },
      "KubeconfigRefused",
      /^users\[0\]\.user\.exec is not allowed: .*use a token/,
    ],
    [
      "a provider of credentials",
      { user: { "auth-provider": { name: canary } } },
      "KubeconfigRefused",
      /auth-provider is not allowed/,
    ],
    [
      "a token file",
      { user: { tokenFile: `/etc/${canary}` } },
      "KubeconfigRefused",
      /tokenFile is not allowed: .*into token/,
    ],
    ["a certificate file", { user: { "client-certificate": canary } }, "KubeconfigRefused", /client-certificate-data/],
    ["a key file", { user: { "client-key": canary } }, "KubeconfigRefused", /client-key-data/],
    ["a CA file", { cluster: { "certificate-authority": canary } }, "KubeconfigRefused", /certificate-authority-data/],
    [
      "no check of the server",
      { cluster: { "insecure-skip-tls-verify": true } },
      "KubeconfigRefused",
      /clusters\[0\]\.cluster\.insecure-skip-tls-verify is not allowed/,
    ],
    [
      "the same as text",
      { cluster: { "insecure-skip-tls-verify": "true" } },
      "KubeconfigRefused",
      /insecure-skip-tls-verify/,
    ],
    [
      "a proxy",
      { cluster: { "proxy-url": `http://${canary}` } },
      "KubeconfigRefused",
      /proxy-url is not allowed: remove it/,
    ],
    ["another name for the server", { cluster: { "tls-server-name": canary } }, "KubeconfigRefused", /tls-server-name/],
    ["somebody else's name", { user: { token: "x", as: canary } }, "KubeconfigRefused", /user\.as is not allowed/],
    ["others' groups", { user: { token: "x", "as-groups": [canary] } }, "KubeconfigRefused", /as-groups/],
    ["another's uid", { user: { token: "x", "as-uid": canary } }, "KubeconfigRefused", /as-uid/],
    [
      "others' extras",
      { user: { token: "x", "as-user-extra": { a: [canary] } } },
      "KubeconfigRefused",
      /as-user-extra/,
    ],
    ["a password", { user: { username: "admin", password: canary } }, "KubeconfigRefused", /username is not allowed/],
    [
      "a field of tomorrow",
      { user: { token: "x", "ask-elsewhere": canary } },
      "KubeconfigRefused",
      /users\[0\]\.user\.ask-elsewhere is not known/,
    ],
    [
      "a secret as a field",
      { user: { token: "x", [canary]: "y" } },
      "KubeconfigRefused",
      /^a field of users\[0\]\.user is not known/,
    ],
    [
      "a field named like a method",
      { user: { token: "x", constructor: "y" } },
      "KubeconfigRefused",
      /user\.constructor is not known/,
    ],
    ["two ways to sign in", { user: { token: canary, ...pairData } }, "KubeconfigRefused", /keep one of them/],
    [
      "plain HTTP",
      { server: "http://target.example" },
      "KubeconfigRefused",
      /server is not a URL that begins with https/,
    ],
    ["a file", { server: "file:///etc/passwd" }, "KubeconfigRefused", /https/],
    ["no URL", { server: canary }, "KubeconfigRefused", /https/],
    [
      "a password in the URL",
      { server: `https://admin:${canary}@target.example` },
      "KubeconfigRefused",
      /user name or password/,
    ],
    ["a query in the URL", { server: `https://target.example/?${canary}` }, "KubeconfigRefused", /\? or #/],
    ["no server", { server: "" }, "KubeconfigInvalid", /has no server/],
    ["no CA", { cluster: { "certificate-authority-data": "" } }, "KubeconfigInvalid", /set it to the CA/],
    [
      "a CA that is no base64",
      { cluster: { "certificate-authority-data": `!${canary}` } },
      "KubeconfigInvalid",
      /not base64/,
    ],
    [
      "a CA that is no certificate",
      { cluster: { "certificate-authority-data": base64(canary) } },
      "KubeconfigInvalid",
      /no certificate in PEM form/,
    ],
    [
      "a broken certificate",
      {
        cluster: {
          "certificate-authority-data": base64("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"),
        },
      },
      "KubeconfigInvalid",
      /cannot be read/,
    ],
    ["no credentials", { user: {} }, "KubeconfigInvalid", /neither a token nor/],
    [
      "half a pair",
      { user: { "client-key-data": pairData["client-key-data"] } },
      "KubeconfigInvalid",
      /neither a token nor/,
    ],
    [
      "a key that is none",
      { user: { ...pairData, "client-key-data": base64(canary) } },
      "KubeconfigInvalid",
      /not a private key/,
    ],
    [
      "a key that takes seconds to sign with",
      { user: { ...pairData, "client-key-data": base64(longKey()) } },
      "KubeconfigRefused",
      /more than 8192 bits/,
    ],
    [
      "a token of two lines",
      { user: { token: `${canary}\nX-Evil: 1` } },
      "KubeconfigInvalid",
      /token has spaces or line breaks/,
    ],
    ["a token that is a number", { user: { token: 4711 } }, "KubeconfigInvalid", /token is not text: put it in quotes/],
    [
      "a user that is a list",
      { root: { users: [{ name: "admin", user: [canary] }] } },
      "KubeconfigInvalid",
      /users\[0\]\.user is not a mapping/,
    ],
    ["clusters that are none", { root: { clusters: canary } }, "KubeconfigInvalid", /clusters is not a list/],
    ["another kind", { root: { kind: "Secret" } }, "KubeconfigInvalid", /kind "Config"/],
    [
      "a current context that is not there",
      { root: { "current-context": canary } },
      "KubeconfigInvalid",
      /current-context/,
    ],
    ["no context", { root: { contexts: [] } }, "KubeconfigInvalid", /no context/],
    [
      "names twice",
      {
        root: {
          users: [
            { name: "a", user: {} },
            { name: "a", user: {} },
          ],
        },
      },
      "KubeconfigInvalid",
      /one name twice/,
    ],
    [
      "very many users",
      { root: { users: Array.from({ length: 21 }, (_, n) => ({ name: `${n}`, user: {} })) } },
      "KubeconfigRefused",
      /more than 20/,
    ],
  ];
  test.each(hostile)("is refused with %s, by field and with the fix", (_, parts, reason, says) => {
    const problem = problemOf(kubeconfigText(parts));
    expect(problem.reason).toBe(reason);
    expect(problem.message).toMatch(says);
    expect(`${problem.message} ${problem.stack} ${JSON.stringify(problem)}`).not.toContain(canary);
    expect(problem.cause).toBeUndefined();
  });

  test("is refused with a second context that could be used, even where it is not the current one", () => {
    const { contexts, ...rest } = kubeconfigObject();
    const two = stringify({
      ...rest,
      contexts: [...contexts, { name: "two", context: { cluster: "one", user: "admin" } }],
    });
    expect(problemOf(two).message).toBe("it has more than one context: keep the one that is meant");
    const unusable = { name: "two", context: { cluster: "nowhere", user: "admin" } };
    expect(readKubeconfig(stringify({ ...rest, contexts: [...contexts, unusable] })).server).toContain(
      "target.example",
    );
  });

  test("is refused with a program even in an entry that nobody uses", () => {
    const { users, ...rest } = kubeconfigObject();
    const spare = { name: "spare", user: { exec: { command: "sh" } } };
    expect(problemOf(stringify({ ...rest, users: [...users, spare] })).message).toContain("users[1].user.exec");
  });

  test("hands on certificates alone, though a key stands beside them", () => {
    const both = base64(`${testPair.key}\n${testCa}\nsome text`);
    const { ca } = readKubeconfig(kubeconfigText({ cluster: { "certificate-authority-data": both } }));
    expect(ca).toMatch(/^-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n$/);
  });

  const bombs: [string, string, RegExp][] = [
    ["aliases", `a: &x [1]\nb: *x\n${kubeconfigText()}`, /anchors|aliases/],
    ["anchors", `a: &${canary} 1\n${kubeconfigText()}`, /anchors/],
    [
      "a billion laughs",
      `${"abcdefgh"
        .split("")
        .map((c, n, all) => `${c}: &${c} [${n ? `*${all[n - 1]},`.repeat(9) : "1"}]`)
        .join("\n")}`,
      /anchors|aliases/,
    ],
    ["a merge key", `x: &x {exec: 1}\nusers: [{name: a, user: {<<: *x}}]`, /anchors|aliases/],
    ["too much", `# ${"x".repeat(200_000)}\n${kubeconfigText()}`, /larger than 128 KiB/],
    ["deep brackets", `a: ${"[".repeat(60_000)}`, /far more/],
    ["deep braces", `a: ${"{a: ".repeat(10_000)}`, /far more/],
    ["fewer brackets", `a: ${"[".repeat(490)}${"]".repeat(490)}`, /nested/],
    ["fewer braces", `a: ${"{a: ".repeat(300)}1${"}".repeat(300)}`, /nested/],
    ["deep dashes", `${"- ".repeat(50_000)}x`, /far more/],
    ["fewer dashes", `${"- ".repeat(990)}x`, /nested/],
    ["deep indentation", Array.from({ length: 300 }, (_, n) => `${" ".repeat(n)}a:`).join("\n"), /nested/],
    ["very many keys", Array.from({ length: 20_000 }, (_, n) => `${n.toString(36)}:`).join("\n"), /far more lines/],
    ["very many entries", `a: {${Array.from({ length: 20_000 }, (_, n) => n.toString(36)).join(",")}}`, /far more/],
    ["nothing but commas", `[${",".repeat(120_000)}]`, /far more/],
    ["nothing but anchors", "&a ".repeat(40_000), /far more/],
    ["nothing but marks", "?\n".repeat(1900), /far more/],
    ["as many keys as may be", `${Array.from({ length: 999 }, (_, n) => `k${n}:`).join("\n")}`, /no context/],
    ["two documents", `${kubeconfigText()}---\n${kubeconfigText()}`, /not valid YAML/],
    ["broken YAML", `users: [${canary}`, /not valid YAML at line \d+/],
    ["text", canary, /not a mapping/],
    ["bytes", "\u0000\u0001\u0002", /.+/],
    ["nothing", "", /no context/],
    ["tags", `users: !!js/function "${canary}"`, /.+/],
  ];
  test.each(bombs)("is refused with %s, at once", (_, text, says) => {
    const before = process.threadCpuUsage();
    const problem = problemOf(text);
    expect(problem.message).toMatch(says);
    expect(problem.message).not.toContain(canary);
    // Far above what it takes, far below what one of these could take. Time of the processor: others may use it, too.
    expect(process.threadCpuUsage(before).user).toBeLessThan(10_000_000);
  });
});

describe("a kubeconfig of Gardener", () => {
  test("leads to the address that is asked for, whichever context is the current one", () => {
    const { clusters, contexts, ...rest } = kubeconfigObject();
    const internal = { name: "two", cluster: { ...clusters[0]?.cluster, server: "https://internal.example" } };
    const text = stringify({
      ...rest,
      clusters: [...clusters, internal],
      contexts: [...contexts, { name: "two", context: { cluster: "two", user: "admin" } }],
    });
    expect(readKubeconfig(text, { server: "https://internal.example/" }).server).toBe("https://internal.example");
    expect(() => readKubeconfig(text, { server: "https://elsewhere.example" })).toThrow("no context of it leads to");
  });
});
