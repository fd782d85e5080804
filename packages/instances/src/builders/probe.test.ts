import type { ChallengePort } from "@berg/resources";
import { expect, test } from "vitest";
import { probeOf } from "./probe.ts";

const ports: ChallengePort[] = [
  { name: "an HTTP port with a long name", port: 8080, protocol: "tcp", type: "internalPort" },
];

test.each([
  [
    "what the server would return is kept",
    { httpGet: { path: "/", port: 80, scheme: "HTTPS", host: "a", httpHeaders: [{ name: "A", value: "b" }] } },
    { httpGet: { path: "/", port: 80, scheme: "HTTPS", host: "a", httpHeaders: [{ name: "A", value: "b" }] } },
  ],
  [
    "timing is kept",
    { exec: { command: ["a", ""] }, initialDelaySeconds: 1, timeoutSeconds: 2, terminationGracePeriodSeconds: 3 },
    { exec: { command: ["a", ""] }, initialDelaySeconds: 1, timeoutSeconds: 2, terminationGracePeriodSeconds: 3 },
  ],
  [
    "what is zero, empty or null is left to the server",
    {
      httpGet: { path: "", port: 80, scheme: "", host: null, httpHeaders: [] },
      exec: null,
      initialDelaySeconds: 0,
      periodSeconds: null,
      failureThreshold: 0,
    },
    { httpGet: { port: 80 } },
  ],
  ["a header without a value is kept", headers({ name: "A" }), headers({ name: "A", value: "" })],
  [
    "fields that no probe has are left out",
    { tcpSocket: { port: 80, hostPath: "/" }, grpc: { port: 81, privileged: true }, lifecycle: {} },
    { tcpSocket: { port: 80 }, grpc: { port: 81 } },
  ],
  [
    "the name of a port becomes its number",
    { httpGet: { port: "an HTTP port with a long name" } },
    { httpGet: { port: 8080 } },
  ],
  ["a name that no port has is the server's to judge", { tcpSocket: { port: "x" } }, { tcpSocket: { port: "x" } }],
  ["nothing is nothing", {}, {}],
])("%s", (_, probe, want) => {
  expect(probeOf(probe, ports)).toStrictEqual(want);
});

function headers(header: object) {
  return { httpGet: { port: 80, httpHeaders: [header] } };
}
