import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";

const files = [
  ...["deployment.yaml", "listener-deployment.yaml", "janitor-deployment.yaml"],
  ...["clusters/deployment.yaml", "api/deployment.yaml"],
];

test.each(files)("%s leaves a start three minutes before liveness is probed", async (file) => {
  const text = await readFile(join(import.meta.dirname, file), "utf8");
  const deployment = parseAllDocuments(text)
    .map((document) => document.toJS())
    .find(({ kind }) => kind === "Deployment");
  const [container] = deployment.spec.template.spec.containers;
  const httpGet = { path: "/healthz", port: "health" };
  expect(container.startupProbe).toMatchObject({ httpGet, periodSeconds: 2, failureThreshold: 90 });
  expect(container.livenessProbe).toMatchObject({ httpGet });
});
