import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import manifest from "../package.json" with { type: "json" };

const main = join(import.meta.dirname, "main.ts");
const run = (...args: string[]) => promisify(execFile)(process.execPath, [main, ...args]);

describe("berg", () => {
  test("says what is there when called without a command", async () => {
    const { stdout } = await run();
    expect(stdout).toContain(`berg ${manifest.version}`);
    expect(stdout).toContain("Not there yet");
  });

  test("prints its version", async () => {
    expect((await run("version")).stdout).toBe(`${manifest.version}\n`);
    expect((await run("--version")).stdout).toBe(`${manifest.version}\n`);
  });

  test("prints the CRDs as one stream of YAML documents", async () => {
    const { stdout } = await run("crds");
    const names = parseAllDocuments(stdout, { version: "1.1" }).map((document) => document.getIn(["metadata", "name"]));
    expect(names.sort()).toEqual([
      "challengeinstances.berg.norelect.ch",
      "challenges.berg.norelect.ch",
      "competitions.berg.norelect.ch",
      "containernetworks.berg.norelect.ch",
      "containernetworktunnelproxies.berg.norelect.ch",
      "pages.berg.norelect.ch",
    ]);
  });

  test("prints those of berg clusters apart from them", async () => {
    const { stdout } = await run("crds", "--clusters");
    const names = parseAllDocuments(stdout, { version: "1.1" }).map((document) => document.getIn(["metadata", "name"]));
    expect(names.sort()).toEqual([
      "clusters.operator.kyma-project.io",
      "kubeconfigrequests.operator.kyma-project.io",
      "subscriptionrequests.control-plane.kyma-project.io",
    ]);
  });

  test("takes no more words than a command has, and explains each", async () => {
    const failure = await run("crds", "extra").catch((error) => error);
    expect([failure.code, failure.stderr]).toEqual([2, expect.stringContaining("too many arguments")]);
    expect((await run("help", "crds")).stdout).toContain("berg crds");
  });

  test("names a command that it does not know, and shows those that it does", async () => {
    const failure = await run("chals").catch((error) => error);
    expect(failure.code).toBe(2);
    expect(failure.stderr).toContain('there is no command "chals"');
    expect(failure.stderr).toContain("crds");
  });
});
