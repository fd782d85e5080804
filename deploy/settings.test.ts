import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { readSettings, settingsReference } from "@berg/instances";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { processSettingsReference, readProcessSettings } from "../packages/cli/src/process-settings.ts";

const file = join(import.meta.dirname, "settings.yaml");
const header = `# What the organiser decides. Every setting is here with its default: take away the # of those to change, apply, and
#     kubectl rollout restart -n berg deployment/berg-controller
# A running instance keeps what it started with. All mistakes are told at once, in the log of a pod that does not start.
apiVersion: v1
kind: ConfigMap
metadata:
  name: berg-controller
  namespace: berg
  labels:
    app.kubernetes.io/part-of: berg
data:
`;

test("the ConfigMap lists every setting with its default (npx vitest run -u deploy/settings.test.ts writes it)", async () => {
  const settings = [...settingsReference(), ...processSettingsReference()].map(
    ({ name, default: byDefault, description }) => `  # ${description}\n  # ${name}: ${JSON.stringify(byDefault)}\n`,
  );
  await expect(header + settings.join("")).toMatchFileSnapshot(file);
});

test("what it shows as defaults are the defaults", async () => {
  const text = (await readFile(file, "utf8")).replaceAll(/^ {2}# ([A-Z_]+: )/gm, "  $1");
  const { data } = parse(text) as { data: Record<string, string> };
  expect(Object.keys(data)).toHaveLength(settingsReference().length + processSettingsReference().length);
  expect(readSettings(data)).toEqual(readSettings({}));
  expect(readProcessSettings(data)).toEqual(readProcessSettings({}));
});
