import type { ResourceType } from "@berg/apimachinery";
import { expect, test } from "vitest";
import { requireKinds } from "./required-kinds.ts";

const { signal } = new AbortController();
const serving = (...kinds: string[]) => ({
  discovery: {
    find: async ({ kind }: { kind: string }) => (kinds.includes(kind) ? ({ kind } as ResourceType) : undefined),
    all: async () => [],
  },
});

test.each([
  {
    kinds: [],
    want: "the cluster has no ContainerNetwork and no ContainerNetworkTunnelProxy: apply crds/containernetworks.yaml and crds/containernetworktunnelproxies.yaml, or all our kinds with `berg crds | kubectl apply -f -`",
  },
  {
    kinds: ["ContainerNetwork"],
    want: "the cluster has no ContainerNetworkTunnelProxy: apply crds/containernetworktunnelproxies.yaml, or",
  },
])("what is missing is named, with its file: where there is $kinds", async ({ kinds, want }) => {
  await expect(requireKinds(serving(...kinds), signal)).rejects.toThrow(want);
});

test("nothing is missing where both are there", async () => {
  await requireKinds(serving("ContainerNetwork", "ContainerNetworkTunnelProxy"), signal);
});
