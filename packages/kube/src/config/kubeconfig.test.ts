import { describe, expect, test } from "vitest";
import { readCluster } from "./cluster.ts";
import { ConfigurationError } from "./configuration-error.ts";
import { chooseContext, mergeKubeconfigs, parseKubeconfig } from "./kubeconfig.ts";
import { readUser } from "./user.ts";

const full = `
apiVersion: v1
kind: Config
current-context: here
contexts:
- {name: here, context: {cluster: c1, user: u1, namespace: ctf}}
- {name: there, context: {cluster: c2, user: u1}}
clusters:
- {name: c1, cluster: {server: "https://one"}}
- {name: c2, cluster: {server: "https://two"}}
users:
- {name: u1, user: {token: s3cret}}
`;

describe("choosing a context", () => {
  test("takes the current one unless another is wanted", () => {
    const kubeconfig = parseKubeconfig(full, "/k");
    const current = chooseContext(kubeconfig);
    expect([readCluster(current.cluster).server, current.namespace]).toEqual(["https://one", "ctf"]);
    const wanted = chooseContext(kubeconfig, "there");
    expect([readCluster(wanted.cluster).server, wanted.namespace]).toEqual(["https://two", "default"]);
  });

  test.each([
    {
      name: "no current context",
      text: full.replace("current-context: here", ""),
      want: 'no current-context is set in /k: choose one of "here", "there"',
    },
    { name: "an empty file", text: "", want: "no current-context is set in /k: there is none to choose" },
    {
      name: "an unknown context",
      text: full.replace("current-context: here", "current-context: her"),
      want: 'there is no context "her" in /k: choose one of "here", "there"',
    },
    {
      name: "a context without a user",
      text: full.replace("user: u1, namespace", "namespace"),
      want: 'context "here" in /k names no user: choose one of "u1"',
    },
    {
      name: "an unknown user",
      text: full.replace("user: u1", "user: u9"),
      want: 'context "here" in /k names the user "u9", which is not in /k: choose one of "u1"',
    },
    {
      name: "an unknown cluster",
      text: full.replace("cluster: c1", "cluster: c9"),
      want: 'context "here" in /k names the cluster "c9", which is not in /k: choose one of "c1", "c2"',
    },
    {
      name: "a namespace that cannot be one",
      text: full.replace("namespace: ctf", "namespace: ../x"),
      want: 'context "here" in /k has a wrong namespace: only a-z, 0-9 and - may stand in it, 63 characters at most',
    },
  ])("says what is wrong with $name", ({ text, want }) => {
    expect(() => chooseContext(parseKubeconfig(text, "/k"))).toThrow(new ConfigurationError(want));
  });
});

describe("parsing", () => {
  test.each([
    { name: "broken YAML", text: 'token: "s3cret\nb: [', want: "kubeconfig /k is not valid YAML at line 2, column" },
    { name: "a tab", text: "users:\n\t- s3cret: x", want: "kubeconfig /k is not valid YAML at line 2, column 1 (TAB" },
    { name: "two documents", text: "a: 1\n---\nb: 1", want: "kubeconfig /k is not valid YAML at line 2, column 1 (MU" },
    { name: "an alias to nowhere", text: "a: *s3cret", want: "kubeconfig /k has YAML aliases (*name) that lead nowh" },
    {
      name: "an alias in a circle",
      text: "a: &a [*a]",
      want: "kubeconfig /k has YAML aliases (*name) that lead nowh",
    },
    { name: "a pit", text: "- ".repeat(20_000), want: "kubeconfig /k is not valid YAML at line 1, column" },
    { name: "a round pit", text: "[".repeat(20_000), want: "kubeconfig /k is not valid YAML at line 1, column" },
    { name: "plain text", text: "s3cret", want: "kubeconfig /k is text, not a mapping" },
    { name: "a list", text: "[s3cret]", want: "kubeconfig /k is a list, not a mapping" },
    { name: "another kind", text: "kind: Pod", want: 'kubeconfig /k is not of apiVersion "v1", kind "Config"' },
    {
      name: "users as mapping",
      text: "users: {a: b}",
      want: "kubeconfig /k has wrong users: it is a mapping, not a l",
    },
    { name: "a nameless entry", text: "users: [{}]", want: "users[0] of kubeconfig /k has no name" },
    { name: "an entry as text", text: "users: [s3cret]", want: "users[0] of kubeconfig /k is text, not a mapping" },
    {
      name: "a number as name",
      text: "users: [{name: 1}]",
      want: "users[0] of kubeconfig /k has a wrong name: it is a",
    },
    { name: "a name twice", text: "users: [{name: a}, {name: a}]", want: 'user "a" in /k is there twice: remove one' },
  ])("refuses $name without quoting it", ({ text, want }) => {
    const error = errorOf(() => parseKubeconfig(text, "/k"));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error?.message.slice(0, want.length)).toBe(want);
    expect(error?.message).not.toContain("s3cret");
    expect(error?.cause).toBeUndefined();
  });

  test("ignores entries that are wrong but not used", () => {
    const kubeconfig = parseKubeconfig(full.replace('server: "https://two"', "server: [2]"), "/k");
    expect(readCluster(chooseContext(kubeconfig).cluster).server).toBe("https://one");
    expect(() => readCluster(chooseContext(kubeconfig, "there").cluster)).toThrow("it is a list, not text");
  });
});

describe("merging", () => {
  test("lets the first file win, value by value and entry by entry", () => {
    const first = parseKubeconfig("users: [{name: u1, user: {username: first}}]", "/first");
    const second = parseKubeconfig(full, "/second");
    const third = parseKubeconfig(full.replace("here\n", "there\n").replaceAll("one", "three"), "/third");
    const merged = mergeKubeconfigs([first, second, third]);
    expect(merged.files).toEqual(["/first", "/second", "/third"]);
    expect(merged.currentContext).toBe("here");
    const chosen = chooseContext(merged);
    expect(readCluster(chosen.cluster).server).toBe("https://one");
    // Not mixed with the token of the second file's u1, or it would be refused.
    expect(readUser(chosen.user)).toEqual({
      kind: "header",
      authorization: `Basic ${Buffer.from("first:").toString("base64")}`,
    });
  });
});

function errorOf(act: () => unknown): Error | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
