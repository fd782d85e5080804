/** Objects that a garden has before anybody asks for a cluster, and a Shoot for tests of the garden itself. */
import type { ToCreate } from "@berg/apimachinery";
import type { TestShoot } from "./kinds.ts";

export type Cloud = "aws" | "azure" | "gcp";

const clouds: Record<Cloud, { regions: Record<string, string[]>; machines: string[]; volumes: string[] }> = {
  aws: {
    regions: {
      "eu-central-1": ["eu-central-1a", "eu-central-1b", "eu-central-1c"],
      "us-east-1": ["us-east-1a", "us-east-1b", "us-east-1c", "us-east-1d"],
    },
    machines: ["m5.large", "m5.2xlarge", "m6i.large"],
    volumes: ["gp3"],
  },
  azure: {
    regions: { westeurope: ["1", "2", "3"], northeurope: ["1", "2", "3"] },
    machines: ["Standard_D2s_v5", "Standard_D8s_v5"],
    volumes: ["StandardSSD_LRS"],
  },
  gcp: {
    regions: {
      "europe-west3": ["europe-west3-a", "europe-west3-b", "europe-west3-c"],
      "us-central1": ["us-central1-a", "us-central1-b", "us-central1-c", "us-central1-f"],
    },
    machines: ["n2-standard-2", "n2-standard-8"],
    volumes: ["pd-balanced"],
  },
};

/** As it would be for this cloud, with few of everything; one version and one image are out of date. */
export function cloudProfileOf(cloud: Cloud): { metadata: { name: string }; spec: Record<string, unknown> } {
  const { regions, machines, volumes } = clouds[cloud];
  return {
    metadata: { name: cloud },
    spec: {
      type: cloud,
      kubernetes: {
        versions: [
          { version: "1.34.2", classification: "supported" },
          { version: "1.33.6", classification: "supported" },
          { version: "1.32.1", classification: "deprecated", expirationDate: "2027-06-30T00:00:00Z" },
        ],
      },
      machineImages: [
        {
          name: "gardenlinux",
          versions: [
            {
              version: "1877.7.0",
              classification: "supported",
              cri: [{ name: "containerd" }],
              architectures: ["amd64"],
            },
            {
              version: "1592.1.0",
              classification: "deprecated",
              cri: [{ name: "containerd" }],
              architectures: ["amd64"],
            },
          ],
        },
      ],
      machineTypes: machines.map((name) => ({
        name,
        cpu: "2",
        gpu: "0",
        memory: "8Gi",
        architecture: "amd64",
        usable: true,
      })),
      regions: Object.entries(regions).map(([name, zones]) => ({ name, zones: zones.map((zone) => ({ name: zone })) })),
      volumeTypes: volumes.map((name) => ({ name, class: "premium", usable: true })),
    },
  };
}

/** As small as Gardener takes it. */
export function sampleShoot(namespace: string, name: string, binding = "account"): ToCreate<TestShoot> {
  return {
    metadata: { name, namespace },
    spec: {
      cloudProfile: { kind: "CloudProfile", name: "aws" },
      credentialsBindingName: binding,
      region: "eu-central-1",
      purpose: "evaluation",
      kubernetes: { version: "1.34.2" },
      networking: { type: "calico", pods: "100.96.0.0/11", nodes: "10.250.0.0/16", services: "100.64.0.0/13" },
      provider: {
        type: "aws",
        infrastructureConfig: {
          apiVersion: "aws.provider.extensions.gardener.cloud/v1alpha1",
          kind: "InfrastructureConfig",
          networks: {
            vpc: { cidr: "10.250.0.0/16" },
            zones: [
              { name: "eu-central-1a", workers: "10.250.0.0/19", public: "10.250.32.0/20", internal: "10.250.48.0/20" },
            ],
          },
        },
        workers: [
          {
            name: "main",
            machine: { type: "m5.large", image: { name: "gardenlinux", version: "1877.7.0" }, architecture: "amd64" },
            minimum: 1,
            maximum: 2,
            volume: { type: "gp3", size: "50Gi" },
            zones: ["eu-central-1a"],
          },
        ],
      },
    },
  };
}
