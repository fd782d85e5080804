import { expect, test } from "vitest";
import { account, makeCluster, wantedOf } from "../testing/make-objects.ts";
import { keptNewer } from "./kept-newer.ts";
import { renderShoot } from "./render.ts";

function asked(kubernetesVersion: string | undefined, version?: string, name = "gardenlinux") {
  const core = {
    purpose: "production",
    region: "eu-central-1",
    ...(kubernetesVersion !== undefined && { kubernetesVersion }),
  };
  const machineImage = { name, ...(version !== undefined && { version }) };
  return makeCluster({ spec: { core }, infrastructure: { machineImage } });
}

const live = renderShoot(wantedOf(asked("1.33.4", "1592.4.0")), account);

test.each([
  { kubernetes: "1.33", image: "1592.4.0", says: [] },
  { kubernetes: undefined, image: undefined, says: [] },
  { kubernetes: "1.34", image: "1600.0.0", says: [] },
  { kubernetes: "1.32", image: undefined, says: ["core.kubernetesVersion is 1.32, and it runs 1.33.4"] },
  { kubernetes: "1.33.3", image: undefined, says: ["core.kubernetesVersion is 1.33.3, and it runs 1.33.4"] },
  {
    kubernetes: undefined,
    image: "1592.3.9",
    says: ["infrastructure.machineImage.version is 1592.3.9, and it runs 1592.4.0"],
  },
])("asked for Kubernetes $kubernetes and the image $image: $says", ({ kubernetes, image, says }) => {
  expect(keptNewer(live, asked(kubernetes, image).spec)).toEqual(says);
});

test("an older version of another image is no way back", () => {
  expect(keptNewer(live, asked("1.33", "1.0.0", "ubuntu").spec)).toEqual([]);
});

test("what runs in somebody else's machines is theirs", () => {
  const [worker] = live.provider.workers ?? [];
  const theirs = { ...live, provider: { ...live.provider, workers: worker ? [{ ...worker, name: "theirs" }] : [] } };
  expect(keptNewer(theirs, asked("1.33", "1.0.0").spec)).toEqual([]);
});
