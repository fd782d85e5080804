import { systemClock as clock } from "@berg/kube";
import type { TunnelConfiguration } from "@berg/resources";
import { expect, test } from "vitest";
import type { Tunnel } from "../../protocol/tunnel_pb.ts";
import { ServerProxyError } from "../../server-proxy/client.ts";
import { applyTunnels } from "./apply.ts";
import { planTunnels } from "./plan.ts";

const tunnel = (name: string): TunnelConfiguration => ({
  ...{ name, serverPort: 1, serverAddress: "localhost", clientProxyAddress: "0.0.0.0", clientProxyPort: 0 },
  limits: { maxStreams: 1 },
});

const { signal } = new AbortController();

/** A pair in which ids up to this one are taken. */
function pairWith(taken: number, code: "AlreadyExists" | "FailedPrecondition" = "AlreadyExists") {
  const asked: number[] = [];
  const control = {
    async prepareTunnel({ tunnelId }: { tunnelId: number }) {
      asked.push(tunnelId);
      if (tunnelId <= taken) throw new ServerProxyError("it is taken", code);
      return { clientProxyAddresses: [], clientProxyPort: tunnelId } as unknown as Tunnel;
    },
    deleteTunnel: async () => {},
  };
  return { asked, around: { control, clock, random: () => 0 } };
}

test.each([0, 1, 5, 10_000])("with %d ids taken that are not known: each tunnel gets one of its own", async (taken) => {
  const { asked, around } = pairWith(taken);
  const wanted = ["a", "b", "c"].map(tunnel);
  const now = { tunnels: new Map(), lastTunnelId: 0 };
  const plan = planTunnels({ wanted, applied: now.tunnels, lastTunnelId: 0, now: 0 });
  const { tunnels, lastTunnelId } = await applyTunnels(plan, now, around, signal);
  const ids = [...tunnels.values()].map(({ id }) => id);
  expect([...tunnels.values()].map(({ state }) => state)).toEqual(["Ready", "Ready", "Ready"]);
  expect(new Set(ids).size).toBe(3);
  expect(ids.every((id) => id > taken)).toBe(true);
  expect(new Set(asked).size).toBe(asked.length);
  expect(lastTunnelId).toBe(Math.max(...asked));
});

test("refused for another reason: it keeps its id", async () => {
  const { asked, around } = pairWith(10, "FailedPrecondition");
  const now = { tunnels: new Map(), lastTunnelId: 4 };
  const plan = planTunnels({ wanted: [tunnel("a")], applied: now.tunnels, lastTunnelId: 4, now: 0 });
  const { tunnels, lastTunnelId } = await applyTunnels(plan, now, around, signal);
  expect(asked).toEqual([5]);
  expect(tunnels.get("a")).toMatchObject({ id: 5, state: "Failed", errorMessage: "it is taken" });
  expect(lastTunnelId).toBe(5);
});
