import { type Challenge, validateChallenge } from "@berg/resources";
import { describe, expect, test } from "vitest";
import { withEndpoints } from "./endpoints.ts";

function challenge(...containers: object[]): Challenge {
  const spec = { author: "a", description: "d", event: "e", flag: "flag{x}", containers };
  const asked = { apiVersion: "berg.norelect.ch/v1", kind: "Challenge", metadata: { name: "page" }, spec };
  const { object, errors } = validateChallenge(asked);
  if (!object) throw new Error(JSON.stringify(errors));
  return object;
}

const web = { hostname: "web", image: "web:1", environment: { MODE: "dev" } };
const tunnels = [{ name: "my-db", host: "localhost", port: 5432 }];

describe("the endpoints of tunnels", () => {
  test("stand in the environment of every container, beside what is there", () => {
    const { spec } = withEndpoints(challenge(web, { hostname: "bot", image: "bot:1" }), tunnels);
    expect(spec.containers.map(({ environment }) => environment)).toEqual([
      { MODE: "dev", MY_DB_ENDPOINT: "my-db:5432" },
      { MY_DB_ENDPOINT: "my-db:5432" },
    ]);
  });

  test("change nothing where there are none", () => {
    expect(withEndpoints(challenge(web), [])).toEqual(challenge(web));
  });

  test.each([
    [{ ...web, environment: { MY_DB_ENDPOINT: "x" } }, "the container web sets MY_DB_ENDPOINT itself"],
    [{ ...web, hostname: "my-db" }, "a container is called my-db, as the tunnel is"],
    [
      { ...web, ports: [{ name: "my_db", port: 80, protocol: "tcp", type: "internalPort" }] },
      "the port my_db of the container web is found in MY_DB_ENDPOINT, as the tunnel my-db would be",
    ],
  ])("%j is told", (container, why) => expect(() => withEndpoints(challenge(container), tunnels)).toThrow(why));
});
