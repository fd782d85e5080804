import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readCluster } from "./cluster.ts";
import { chooseContext, parseKubeconfig } from "./kubeconfig.ts";
import { readUser } from "./user.ts";
import { kubeconfigFor } from "./write-kubeconfig.ts";

describe("a written kubeconfig", () => {
  test("has one cluster, user and context, and no field that was not given", () => {
    const text = kubeconfigFor({ name: "local", server: "https://127.0.0.1:6443", token: "t", namespace: "ctf" });
    expect(text).toBe(`apiVersion: v1
kind: Config
clusters:
  - name: local
    cluster:
      server: https://127.0.0.1:6443
users:
  - name: local
    user:
      token: t
contexts:
  - name: local
    context:
      cluster: local
      user: local
      namespace: ctf
current-context: local
`);
  });

  test("reads back as it was, whatever its name and secrets look like", () => {
    const text = fc.string({ unit: "grapheme", minLength: 1 });
    const token = fc.string({ unit: fc.constantFrom(..."aZ09._-:#'\"{}[]&*!|>%@`~"), minLength: 1 });
    const credentials = fc.oneof(fc.record({ token }), fc.record({ cert: text, key: text }));
    fc.assert(
      fc.property(text, text, credentials, (name, ca, credentials) => {
        const written = kubeconfigFor({ name, server: "https://x:1", ca, ...credentials });
        const chosen = chooseContext(parseKubeconfig(written, "/k"));
        expect(readCluster(chosen.cluster)).toMatchObject({ server: "https://x:1", ca: { data: ca } });
        expect(readUser(chosen.user)).toMatchObject(
          "token" in credentials
            ? { authorization: `Bearer ${credentials.token}` }
            : { certificate: { cert: { data: credentials.cert }, key: { data: credentials.key } } },
        );
      }),
    );
  });
});
