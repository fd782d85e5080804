import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { clusterSettingsReference, readClusterSettings } from "@berg/clusters";
import {
  janitorSettingsReference,
  listenerSettingsReference,
  readJanitorSettings,
  readListenerSettings,
} from "@berg/healing";
import { readSettings, settingsReference } from "@berg/instances";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { processSettingsReference, readProcessSettings } from "../packages/cli/src/process-settings.ts";

const mistakes = "All mistakes are told at once, in the log of a pod that does not start.";

const components = {
  controller: {
    file: "settings.yaml",
    reference: settingsReference(),
    read: readSettings,
    note: `A running instance keeps what it started with. ${mistakes}`,
  },
  listener: {
    file: "listener-settings.yaml",
    reference: listenerSettingsReference(),
    read: readListenerSettings,
    note: mistakes,
  },
  janitor: {
    file: "janitor-settings.yaml",
    reference: janitorSettingsReference(),
    read: readJanitorSettings,
    note: mistakes,
  },
  clusters: {
    file: "clusters/settings.yaml",
    reference: clusterSettingsReference(),
    read: (env: Record<string, string>) => readClusterSettings({ ...env, GARDEN_PROJECT: "ctf" }),
    note: mistakes,
  },
};

const names: Record<string, string> = { controller: "", clusters: " about the operators of clusters" };

const namespaceOf = (component: string) => (component === "clusters" ? "berg-clusters" : "berg");

const header = (
  component: string,
  note: string,
) => `# What the organiser decides${names[component] ?? ` about the ${component}`}. Every setting is here with its default: take away the # of those to change, apply, and
#     kubectl rollout restart -n ${namespaceOf(component)} deployment/berg-${component}
# ${note}
apiVersion: v1
kind: ConfigMap
metadata:
  name: berg-${component}
  namespace: ${namespaceOf(component)}
  labels:
    app.kubernetes.io/part-of: berg
data:
`;

describe.each(Object.entries(components))("the ConfigMap of the %s", (component, { file, reference, read, note }) => {
  const path = join(import.meta.dirname, file);

  test("lists every setting with its default (npx vitest run deploy/settings.test.ts -u writes it)", async () => {
    const settings = [...reference, ...processSettingsReference()].map(
      ({ name, default: byDefault, description }) =>
        // What has no default must be set by whoever installs it.
        `  # ${description}\n  ${name === "GARDEN_PROJECT" ? "" : "# "}${name}: ${JSON.stringify(byDefault)}\n`,
    );
    await expect(header(component, note) + settings.join("")).toMatchFileSnapshot(path);
  });

  test("shows as defaults what the defaults are", async () => {
    const text = (await readFile(path, "utf8")).replaceAll(/^ {2}# ([A-Z_]+: )/gm, "  $1");
    const { data } = parse(text) as { data: Record<string, string> };
    expect(Object.keys(data)).toHaveLength(reference.length + processSettingsReference().length);
    expect(read(data)).toEqual(read({}));
    expect(readProcessSettings(data)).toEqual(readProcessSettings({}));
  });
});

test("the controller and its admission policy allow the same capabilities", async () => {
  const text = await readFile(join(import.meta.dirname, "admission-policy-contents.yaml"), "utf8");
  const [policy] = parseAllDocuments(text).map((document) => document.toJS());
  const { expression } = policy.spec.variables.find(({ name }: { name: string }) => name === "capabilities");
  const allowed = Array.from(expression.matchAll(/'([A-Z_]+)'/g), ([, name]) => name);
  expect(allowed.sort()).toEqual([...readSettings({}).capabilities].sort());
});
