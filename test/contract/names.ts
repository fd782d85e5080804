/** The server takes and refuses names, label keys and label values as apimachinery's validators do. */
import { isDNS1123Label, isDNS1123Subdomain, isInvalid, isLabelValue, isQualifiedName } from "@berg/apimachinery";
import { ConfigMaps, Namespaces, Services } from "@berg/kube";
import { expect, test } from "vitest";
import type { Given } from "./given.ts";

const texts = [
  ...["a", "a-b", "a1", "1a", "1", "a--b", "a.b", "a.b.c", "1.2", "a-.b", "a.-b", "a..b", ".a", "a.", "-a", "a-"],
  ...[
    "A",
    "aB",
    "a_b",
    "_a",
    "a_",
    "a b",
    " a",
    "a ",
    "a\n",
    "ä",
    "a/b",
    "a:b",
    "a%2fb",
    "a\\b",
    "*",
    "-",
    ".",
    "..",
    "",
  ],
  ...["x".repeat(63), "x".repeat(64), "x".repeat(253), "x".repeat(254), `${"x".repeat(63)}.${"y".repeat(63)}`],
];

const keys = [
  ...texts,
  ...["example.com/a", "example.com/A_b.c", "Example.com/a", "example.com/", "/a", "a/b/c", "ex_ample/a", "-x/a"],
  ...[`${"x".repeat(253)}/a`, `${"x".repeat(254)}/a`, `a/${"x".repeat(63)}`, `a/${"x".repeat(64)}`, "a/ b", "a/ä"],
];

export function names(given: Given): void {
  async function agree(values: string[], ours: (value: string) => boolean, write: (value: string) => Promise<unknown>) {
    for (const value of values) {
      const taken = await write(value).then(
        () => true,
        (error) => {
          if (isInvalid(error)) return false;
          throw error;
        },
      );
      expect.soft(taken, JSON.stringify(value)).toBe(ours(value));
    }
  }
  const dryRun = { dryRun: true };
  const withMetadata = (metadata: object) =>
    given.client.create(ConfigMaps, { metadata: { namespace: given.namespace, name: "any", ...metadata } }, dryRun);

  test("of objects: subdomains", () => agree(texts, isDNS1123Subdomain, (name) => withMetadata({ name })));

  test("of namespaces: labels", () =>
    agree(texts, isDNS1123Label, (name) => given.client.create(Namespaces, { metadata: { name } }, dryRun)));

  test("of ports of a service: labels", () =>
    agree(texts, isDNS1123Label, (name) => {
      const ports = [
        { name, port: 80 },
        { name: "other", port: 81 },
      ];
      const service = { metadata: { namespace: given.namespace, name: "any" }, spec: { ports } };
      return given.client.create(Services, service, dryRun);
    }));

  test("values of labels", () => agree(texts, isLabelValue, (value) => withMetadata({ labels: { key: value } })));
  test("keys of labels", () => agree(keys, isQualifiedName, (key) => withMetadata({ labels: { [key]: "" } })));
  // Of these alone the server takes a prefix in capitals.
  test("keys of annotations", () =>
    agree(
      keys,
      (key) => isQualifiedName(key.toLowerCase()),
      (key) => withMetadata({ annotations: { [key]: "" } }),
    ));
}
