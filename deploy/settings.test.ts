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
import { readApiSettings } from "../packages/cli/src/api/settings.ts";
import { apiVariables } from "../packages/cli/src/api/variables.ts";
import { processSettingsReference, readProcessSettings } from "../packages/cli/src/process-settings.ts";

const mistakes = "A pod that does not start reports all mistakes at once, in its log.";

interface Setting {
  name: string;
  default: string;
  description: string;
}

interface Component {
  file: string;
  reference: readonly Setting[];
  read(env: Record<string, string>): unknown;
  note: string;
  /** Its ports and log level are in `reference`. */
  isWhole?: boolean;
}

const components: Record<string, Component> = {
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
  api: {
    file: "api/settings.yaml",
    reference: apiVariables.filter(({ name }) => !isElsewhere(name)),
    read: readApi,
    note: `DATABASE_URL and other secrets are in the Secret berg-api: see deployment.yaml. ${mistakes}`,
    isWhole: true,
  },
};

/** In a Secret, or set by the image. */
function isElsewhere(name: string): boolean {
  return ["DATABASE_URL", "SMTP_URL", "PAGES_DIR"].includes(name) || name.endsWith("_SECRET");
}

function readApi(env: Record<string, string>): unknown {
  const required = { PUBLIC_URL: "https://ctf.example.com", DATABASE_URL: "postgres://berg@db/berg" };
  const found: string[] = [];
  const settings = readApiSettings({ ...env, ...required }, {}, found);
  expect(found).toEqual([]);
  return settings;
}

/** Those without a default. */
const required = ["GARDEN_PROJECT", "PUBLIC_URL"];

const names: Record<string, string> = { clusters: "cluster operators", api: "API" };

const namespaceOf = (component: string) => (component === "clusters" ? "berg-clusters" : "berg");

const header = (
  component: string,
  note: string,
) => `# Settings of the ${names[component] ?? component}, each with its default. To change one, remove its #, apply, and run
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

describe.each(Object.entries(components))("the ConfigMap of the %s", (component, { file, read, note, ...more }) => {
  const path = join(import.meta.dirname, file);
  const reference = more.isWhole ? more.reference : [...more.reference, ...processSettingsReference()];

  test("lists every setting with its default (npx vitest run deploy/settings.test.ts -u writes it)", async () => {
    const settings = reference.map(
      ({ name, default: byDefault, description }) =>
        `  # ${description}\n  ${required.includes(name) ? "" : "# "}${name}: ${JSON.stringify(byDefault)}\n`,
    );
    await expect(header(component, note) + settings.join("")).toMatchFileSnapshot(path);
  });

  test("shows as defaults what the defaults are", async () => {
    const text = (await readFile(path, "utf8")).replaceAll(/^ {2}# ([A-Z_]+: )/gm, "  $1");
    const { data } = parse(text) as { data: Record<string, string> };
    expect(Object.keys(data)).toHaveLength(reference.length);
    expect(read(data)).toEqual(read({}));
    if (!more.isWhole) expect(readProcessSettings(data)).toEqual(readProcessSettings({}));
  });
});

test("the settings of the API are those of its help, and no secret is in the ConfigMap", async () => {
  const text = await readFile(join(import.meta.dirname, "api/settings.yaml"), "utf8");
  const listed = Array.from(text.matchAll(/^ {2}(?:# )?([A-Z_]+): /gm), ([, name]) => name);
  const elsewhere = apiVariables.map(({ name }) => name).filter(isElsewhere);
  expect(new Set([...listed, ...elsewhere])).toEqual(new Set(apiVariables.map(({ name }) => name)));
  expect(listed.filter((name) => /SECRET|PASSWORD|TOKEN|DATABASE_URL|SMTP_URL/.test(name ?? ""))).toEqual([]);
});

test("the Deployment and the network policies of the API name the default ports", async () => {
  const ports = ["API_PORT", "HEALTH_PORT", "METRICS_PORT"].map(
    (name) => apiVariables.find((variable) => variable.name === name)?.default,
  );
  for (const file of ["deployment.yaml", "network-policy.yaml", "network-policy-cilium.yaml"]) {
    const text = await readFile(join(import.meta.dirname, "api", file), "utf8");
    const named = Array.from(text.matchAll(/(?:containerPort|port): "?(8\d{3})"?$/gm), ([, port]) => port);
    expect(named.sort(), file).toEqual(ports);
  }
});

test("the controller and its admission policy allow the same capabilities", async () => {
  const text = await readFile(join(import.meta.dirname, "admission-policy-contents.yaml"), "utf8");
  const [policy] = parseAllDocuments(text).map((document) => document.toJS());
  const { expression } = policy.spec.variables.find(({ name }: { name: string }) => name === "capabilities");
  const allowed = Array.from(expression.matchAll(/'([A-Z_]+)'/g), ([, name]) => name);
  expect(allowed.sort()).toEqual([...readSettings({}).capabilities].sort());
});
