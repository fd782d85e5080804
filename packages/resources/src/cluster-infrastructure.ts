/** Where the machines of a Cluster come from: rented from a cloud through Gardener, or brought along. */
import { z } from "zod";
import { cloudName, plan, subscriptionSelector } from "./cluster-fields.ts";
import { list, objectName, text } from "./fields.ts";
import { fixed, immutable, ruled } from "./rules.ts";

/** Those that we can write Shoots for. */
export const clusterProviders = ["aws", "azure", "gcp"] as const;

export const maxZones = 8;

const octet = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";

const cidr = () =>
  text({
    max: 18,
    pattern: new RegExp(`^(${octet}\\.){3}${octet}/([0-9]|[12][0-9]|3[0-2])$`),
    must: "must be a range of IPv4 addresses such as 10.250.0.0/16",
  });

const catalogueName = (such: string) =>
  text({
    min: 1,
    max: 128,
    pattern: /^[a-zA-Z0-9][-a-zA-Z0-9_.]*$/,
    must: `must be letters, digits, '-', '_' and '.', such as ${such}`,
  });

const networks = { type: "calico", nodes: "10.250.0.0/16", pods: "100.96.0.0/11", services: "100.64.0.0/13" };

const networking = z.strictObject({
  type: catalogueName("calico").describe("Which network plug-in of Gardener connects pods.").default(networks.type),
  nodes: cidr().describe("Addresses of the machines.").default(networks.nodes),
  pods: cidr().describe("Addresses of pods.").default(networks.pods),
  services: cidr().describe("Addresses of Services.").default(networks.services),
});

const volume = z
  .strictObject({
    type: catalogueName("gp3")
      .describe("Type of the volume in the CloudProfile. Left out: the provider's own.")
      .exactOptional(),
    size: text({ max: 16, pattern: /^[1-9][0-9]*([MGT]i?)$/, must: "must be a size such as 80Gi" }).describe(
      "Size of the volume, such as 80Gi.",
    ),
  })
  .describe("The disk of each machine. Left out: one that is usual with the provider. Taken away: it stays as it is.");

const machineImage = z
  .strictObject({
    name: catalogueName("gardenlinux").describe("Name of the image in the CloudProfile, such as gardenlinux."),
    version: catalogueName("1592.4.0")
      .describe(
        "Version of the image. Machines never go back to an older one. Left out: the newest; Gardener keeps it up to date.",
      )
      .exactOptional(),
  })
  .describe("What the machines boot. Left out: what the CloudProfile says. Taken away: it stays as it is.");

const maxMachines = 1000;

export const infrastructure = ruled(
  z.strictObject({
    provider: ruled(z.enum(clusterProviders), immutable("provider")).describe(
      "The cloud that the machines are rented from. It cannot be changed.",
    ),
    machineType: catalogueName("m5.2xlarge").describe("Type of the machines, such as m5.2xlarge."),
    autoScalerMin: z.int().min(1).max(maxMachines).describe("Fewest machines."),
    autoScalerMax: z.int().min(1).max(maxMachines).describe("Most machines. At least one for each zone."),
    numberOfZones: z
      .int()
      .min(1)
      .max(maxZones)
      .describe(
        "In how many zones of the region the machines stand: 1 to 8, and at most 3 with azure. A cluster cannot leave a zone: once it stands in some, no fewer can be asked for.",
      ),
    zones: list(cloudName().describe("Name of one zone, such as eu-central-1a, or 1 with azure."), maxZones)
      .describe(
        "Which zones, as many as numberOfZones. Left out: chosen once, and then kept in the status. Once there is a Shoot, those in the status must stay among them.",
      )
      .exactOptional(),
    subscriptionSelector: ruled(subscriptionSelector(), immutable("subscriptionSelector")).describe(
      "Whose account pays. shared: one that is shared by many. globalaccount:<id> or <id>: one that no other tenant uses. It cannot be changed.",
    ),
    platformRegion: cloudName()
      .describe(
        "Region of the platform, such as cf-eu11, for pools of accounts that are kept apart by it. It cannot be changed.",
      )
      .exactOptional(),
    euAccess: z
      .boolean()
      .describe("Whether the account must be one that is looked after from within the EU only. It cannot be changed.")
      .exactOptional(),
    plan: plan()
      .describe(
        "Plan of the tenant, such as trial: the rules of the pool of accounts go by it. Left out: the provider. A label plan of the Cluster is for people, and no rule goes by it. It cannot be changed.",
      )
      .exactOptional(),
    networking: ruled(networking, immutable("networking"))
      .describe("Address ranges of the cluster, which must not overlap. They cannot be changed.")
      .default(networks),
    volume: volume.exactOptional(),
    machineImage: machineImage.exactOptional(),
  }),
  {
    cel: "self.autoScalerMin <= self.autoScalerMax",
    message: "autoScalerMin cannot be more than autoScalerMax",
    field: "autoScalerMin",
    holds: ({ autoScalerMin, autoScalerMax }) => autoScalerMin <= autoScalerMax,
  },
  {
    cel: "self.autoScalerMax >= self.numberOfZones",
    message: "autoScalerMax cannot be less than numberOfZones",
    field: "autoScalerMax",
    holds: ({ autoScalerMax, numberOfZones }) => autoScalerMax >= numberOfZones,
  },
  {
    cel: "self.provider != 'azure' || self.numberOfZones <= 3",
    message: "azure has at most 3 zones in a region",
    field: "numberOfZones",
    holds: ({ provider, numberOfZones }) => provider !== "azure" || numberOfZones <= 3,
  },
  {
    cel: "!has(self.zones) || self.zones.size() == self.numberOfZones",
    message: "zones must name as many zones as numberOfZones says",
    field: "zones",
    holds: ({ zones, numberOfZones }) => zones === undefined || zones.length === numberOfZones,
  },
  {
    cel: "!has(self.zones) || self.zones.all(zone, self.zones.exists_one(other, other == zone))",
    message: "zones cannot name a zone twice",
    field: "zones",
    holds: ({ zones = [] }) => new Set(zones).size === zones.length,
  },
  fixed("platformRegion"),
  fixed("euAccess"),
  fixed("plan"),
).describe("A cluster that Gardener makes, on machines of a cloud. Either this or byoc.");

export const byoc = z
  .strictObject({
    kubeconfigSecretRef: z
      .strictObject({
        name: objectName().describe("Name of the Secret, in the namespace of the Cluster."),
        key: text({
          min: 1,
          max: 253,
          pattern: /^[-._a-zA-Z0-9]+$/,
          must: "must be a key of a Secret: letters, digits, '-', '_' and '.'",
        })
          .describe("Key of the Secret that holds the kubeconfig.")
          .default("kubeconfig"),
      })
      .describe(
        "Secret with a kubeconfig of an administrator: one context, certificates and tokens in the file itself, no programs, no paths, no proxy.",
      ),
  })
  .describe("Bring your own cluster: one that is there already. Either this or infrastructure.");

export type ClusterInfrastructure = z.output<typeof infrastructure>;
export type ClusterProvider = (typeof clusterProviders)[number];
