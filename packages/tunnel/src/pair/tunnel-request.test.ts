import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { PrepareTunnelRequestSchema } from "../protocol/tunnel_pb.ts";
import { completeRequest, describeRequest, isSameRequest, limitsOf } from "./tunnel-request.ts";

type Request = MessageInitShape<typeof PrepareTunnelRequestSchema>;
const good: Request = { tunnelId: 1, name: "db", serverPort: 5432 };
const requestOf = (request: Request) => create(PrepareTunnelRequestSchema, request);
const complete = (request: Request) => completeRequest(requestOf(request));

describe("a request for a tunnel", () => {
  test("gets its defaults, so that what is left out is the same as what is said", () => {
    const short = complete(good);
    expect(short).toMatchObject({ serverAddress: "localhost", clientProxyAddress: "", clientProxyPort: 0 });
    const long = complete({ ...good, serverAddress: "localhost", limits: { streams: 0 } });
    expect(isSameRequest(short, long)).toBe(true);
  });

  test.each([
    { other: { name: "web" } },
    { other: { serverAddress: "10.0.0.1" } },
    { other: { serverPort: 1 } },
    { other: { clientProxyAddress: "10.0.0.1" } },
    { other: { clientProxyPort: 1 } },
    { other: { limits: { bytesPerSecond: 1n } } },
  ])("is another one with $other", ({ other }) => {
    expect(isSameRequest(complete(good), complete({ ...good, ...other }))).toBe(false);
  });

  test.each([
    { bad: { tunnelId: 0 }, want: "tunnel_id 0 means none: give each tunnel a number of its own, from 1" },
    { bad: { name: "" }, want: "tunnel 1 has no name" },
    { bad: { serverPort: 0 }, want: 'tunnel "db": server_port 0 is no port (1–65535)' },
    { bad: { serverPort: 65_536 }, want: "server_port 65536 is no port" },
    { bad: { serverAddress: "a b" }, want: 'server_address "a b" is neither a host name nor an address' },
    { bad: { serverAddress: "a/../b" }, want: "neither a host name nor an address" },
    { bad: { clientProxyAddress: "localhost" }, want: '"localhost" is no address: leave it out for every one' },
    { bad: { clientProxyPort: 65_536 }, want: "client_proxy_port 65536 is no port (1–65535, or 0 for any)" },
  ])("is refused with $bad: $want", ({ bad, want }) => {
    const refused = () => complete({ ...good, ...bad });
    expect(refused).toThrow(ConnectError);
    expect(refused).toThrow(
      expect.objectContaining({ code: Code.InvalidArgument, rawMessage: expect.stringContaining(want) }),
    );
  });

  test.each(["localhost", "db.example.com", "10.0.0.1", "::1", "fe80::1%eth0", "under_score"])(
    "may go to %s",
    (serverAddress) => {
      expect(complete({ ...good, serverAddress }).serverAddress).toBe(serverAddress);
    },
  );

  test.each([
    { more: {}, want: '"db" to localhost:5432 on any port' },
    {
      more: { clientProxyPort: 80, clientProxyAddress: "10.0.0.1" },
      want: '"db" to localhost:5432 on port 80 of 10.0.0.1',
    },
    {
      more: { limits: { streams: 2, bytesPerSecond: 9n, idleSeconds: 3 } },
      want: '"db" to localhost:5432 on any port (at most 2 streams, 9 bytes/s, 3 s idle)',
    },
  ])("reads as $want", ({ more, want }) => {
    expect(describeRequest(complete({ ...good, ...more }))).toBe(want);
  });

  test("has the limits that it names, and else none", () => {
    expect(limitsOf(requestOf(good))).toEqual({ streams: 0, bytesPerSecond: 0, idleSeconds: 0 });
    const limits = { streams: 1, bytesPerSecond: 2n, idleSeconds: 3 };
    expect(limitsOf(requestOf({ ...good, limits }))).toEqual({ streams: 1, bytesPerSecond: 2, idleSeconds: 3 });
  });
});
