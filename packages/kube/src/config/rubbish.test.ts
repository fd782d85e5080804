import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, test } from "vitest";
import { FakeClock } from "../testing/fake-clock.ts";
import { makeFiles } from "../testing/files.ts";
import { ConfigurationError } from "./configuration-error.ts";
import { loadConnection } from "./load-connection.ts";

async function makeUse(): Promise<(text: string) => Promise<void>> {
  const kubeconfig = join(await makeFiles({}), "kubeconfig");
  return async (text) => {
    await writeFile(kubeconfig, text);
    try {
      await loadConnection({ clock: new FakeClock(), env: {}, kubeconfig });
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
    }
  };
}

describe("rubbish", () => {
  const fields = [
    ...["server", "certificate-authority", "certificate-authority-data", "insecure-skip-tls-verify", "proxy-url"],
    ...["tls-server-name", "extensions", "token", "tokenFile", "client-certificate", "client-certificate-data"],
    ...["client-key", "client-key-data", "username", "password", "exec", "auth-provider", "as", "as-groups"],
    ...["apiVersion", "command", "args", "env", "installHint", "interactiveMode", "provideClusterInfo", "name"],
  ];
  const value = fc.oneof(
    { withCrossShrink: true, maxDepth: 4 },
    fc.jsonValue({ maxDepth: 2 }),
    fc.string({ unit: "binary" }),
    fc.constantFrom("https://x", "aGFsbG8=", "client.authentication.k8s.io/v1", "Never", true, "/nowhere/at/all"),
  );
  const body = fc.dictionary(
    fc.constantFrom(...fields),
    fc.oneof(value, fc.dictionary(fc.constantFrom(...fields), value)),
  );

  test("of any text only ever gives a ConfigurationError", async () => {
    const use = await makeUse();
    await fc.assert(fc.asyncProperty(fc.string({ unit: "binary", maxLength: 200 }), use));
  });

  test("of YAML's own characters only ever gives a ConfigurationError", async () => {
    const use = await makeUse();
    const piece = fc.constantFrom(..."-:[]{}#&*!|>'\"%@`,? \n\ta1~<", "users", "current-context", "contexts", "name");
    await fc.assert(fc.asyncProperty(fc.array(piece, { maxLength: 40 }), (pieces) => use(pieces.join(""))));
  });

  test("in any place of the structure only ever gives a ConfigurationError", async () => {
    const use = await makeUse();
    const named = fc.oneof(value, fc.array(fc.oneof(value, fc.record({ name: value, cluster: value, user: value }))));
    const top = ["apiVersion", "kind", "current-context", "contexts", "clusters", "users"];
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.constantFrom(...top), named), (kubeconfig) => use(JSON.stringify(kubeconfig))),
    );
  });

  test("in a chosen cluster or user only ever gives a ConfigurationError", async () => {
    const use = await makeUse();
    await fc.assert(
      fc.asyncProperty(body, body, (cluster, user) =>
        use(
          JSON.stringify({
            "current-context": "a",
            contexts: [{ name: "a", context: { cluster: "a", user: "a" } }],
            clusters: [{ name: "a", cluster: { server: "https://x", ...cluster } }],
            users: [{ name: "a", user }],
          }),
        ),
      ),
    );
  });
});
