import { describe, expect, test } from "vitest";
import { misspeltVariables, writtenByKubernetes } from "./misspelt.ts";

const known = ["CHALLENGE_HTTP_PORT", "CHALLENGE_CPU_LIMIT", "GATEWAY_NAME", "GATEWAY_PEER", "MAX_INSTANCES"];

describe("a slip in the name of a setting", () => {
  test.for([
    ["CHALLENGE_HTPP_PORT", "CHALLENGE_HTTP_PORT"],
    ["CHALLENGE_HTTPPORT", "CHALLENGE_HTTP_PORT"],
    ["CHALENGE_HTTP_PROT", "CHALLENGE_HTTP_PORT"],
    ["CHALLENGE_CPU_LIMITS", "CHALLENGE_CPU_LIMIT"],
    ["CHALLENGE_CPU_LI", undefined],
    ["GATWAY_NAME", "GATEWAY_NAME"],
    ["GATEWAY_NAEM", "GATEWAY_NAME"],
    ["GATEWAY_PEERS", "GATEWAY_PEER"],
    ["GATEWAY_USER", undefined],
    ["MAX_INSTANCE", "MAX_INSTANCES"],
    ["", undefined],
  ] as const)("%s is taken for %s", ([name, meant]) => {
    const want = meant === undefined ? [] : [`there is no setting ${name}; did you mean ${meant}?`];
    expect(misspeltVariables({ [name]: "x" }, known)).toEqual(want);
  });

  test("does not matter where nothing is set, or the name is another setting", () => {
    expect(misspeltVariables({ GATWAY_NAME: "", MAX_INSTANCE: undefined, PATH: "/bin" }, known)).toEqual([]);
    expect(misspeltVariables({ GATEWAY_NAME: "x", GATEWAY_PEER: "y" }, [...known, "GATEWAY_NAMES"])).toEqual([]);
  });
});

test.for([
  ["GATEWAY_NAM_SERVICE_HOST", "10.96.0.1"],
  ["GATEWAY_SERVICE_PORT", "80"],
  ["GATEWAY_SERVICE_PORT_HTTP", "80"],
  ["CHALLENGE_HTTP_PORT", "tcp://10.96.0.7:80"],
  ["CHALLENGE_HTT_PORT", "udp://10.96.0.7:80"],
  ["GATEWAY_PORT_80_TCP", "tcp://10.96.0.7:80"],
  ["GATEWAY_PORT_80_TCP_ADDR", "10.96.0.7"],
] as const)("%s=%s is written by Kubernetes for a Service", ([name, value]) => {
  expect(writtenByKubernetes(name, value)).toBe(true);
  expect(misspeltVariables({ [name]: value }, known)).toEqual([]);
});

test.for([
  ["CHALLENGE_HTTP_PORT", "80"],
  ["GATEWAY_NAME", "tcp://x"],
] as const)("%s=%s is not", ([name, value]) => {
  expect(writtenByKubernetes(name, value)).toBe(false);
});
