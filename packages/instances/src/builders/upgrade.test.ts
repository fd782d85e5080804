import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { endpointEnv } from "./endpoints.ts";
import { blueprintOf, containerOf, everyPortType } from "./testing/blueprints.ts";
import { workloads } from "./workloads.ts";

const blueprint = blueprintOf({
  containers: [
    ...everyPortType(),
    containerOf("env", [{ port: 80, name: "env" }], {
      environment: { TEXT: "a $b", NUMBER: 1 },
      additionalCapabilities: ["NET_ADMIN"],
      dynamicFlag: { env: { name: "FLAG" } },
      livenessProbe: { httpGet: { path: "/", port: 80 } },
    }),
    containerOf("content", [], { dynamicFlag: { content: { path: "/flag" } } }),
    containerOf("executable", [], { dynamicFlag: { executable: { path: "/get-flag" } } }),
  ],
  settings: { pullSecretName: "registry", runtimeClassName: "gvisor", flagStorage: "Secret" },
});

/** Put by hand and not by `vitest -u`: whoever changes it has read the text below. */
const known = "215c60f6960eef7a";

const whatToThinkAbout = `
A changed pod template restarts every running instance at the upgrade.

The controller compares what runs with what it would build from the record of the instance. After an upgrade to what you
have just written it finds every Deployment of every running instance to be another one and puts it "right": all pods are
replaced at once, in the middle of an event, and players lose what they had in them. A changed selector is refused by the
API server, and no Deployment is repaired any more.

Can what is new be had with a setting whose default leaves the template as it was? Instances that run keep the settings
that they were started with, and only new ones get the new. If not, say in the commit that this upgrade restarts all
instances, and put the new digest into this test.
`;

test("a changed pod template restarts every running instance at the upgrade", () => {
  const decisive = workloads(blueprint, endpointEnv(blueprint)).map(({ type, manifest }) => {
    const { selector, template } = (manifest as { spec?: { selector?: object; template?: object } }).spec ?? {};
    return { kind: type.kind, selector, template };
  });
  const digest = createHash("sha256").update(JSON.stringify(decisive)).digest("hex").slice(0, 16);
  expect(digest, whatToThinkAbout).toBe(known);
});
