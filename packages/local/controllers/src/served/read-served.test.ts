import { refusal } from "@berg/kube/testing";
import { describe, expect, test } from "vitest";
import { readServed } from "./read-served.ts";

const resource = (name: string, kind: string) => ({ name, kind, namespaced: true, verbs: ["get"] });
const documents: Record<string, unknown> = {
  "/api": { versions: ["v1"] },
  "/apis": {
    groups: [
      {
        versions: [{ groupVersion: "apps/v1beta1" }, { groupVersion: "apps/v1" }],
        preferredVersion: { groupVersion: "apps/v1" },
      },
      { versions: [{ groupVersion: "down.test/v1" }] },
      { versions: [{ groupVersion: "gone.test/v1" }] },
    ],
  },
  "/api/v1": { resources: [resource("pods", "Pod"), resource("pods/log", "Pod")] },
  "/apis/apps/v1": { resources: [resource("deployments", "Deployment")] },
  "/apis/apps/v1beta1": { resources: [resource("deployments", "Deployment"), resource("scales", "Scale")] },
};
const client = {
  async raw(path: string) {
    if (path in documents) return JSON.stringify(documents[path]);
    throw path.includes("gone") ? refusal(404, { reason: "NotFound" }) : refusal(503);
  },
};

describe("what a server serves", () => {
  test("is every kind in every version, the preferred one marked, without subresources", async () => {
    const { kinds } = await readServed(client);
    expect(
      kinds.map(({ group, version, resource, preferred }) => [`${group}/${version}`, resource, preferred]),
    ).toEqual([
      ["/v1", "pods", true],
      ["apps/v1", "deployments", true],
      ["apps/v1beta1", "deployments", false],
      ["apps/v1beta1", "scales", true],
    ]);
  });

  test("names groups that did not answer, and not those that went meanwhile", async () => {
    expect((await readServed(client)).unread).toEqual(["down.test/v1"]);
  });
});
