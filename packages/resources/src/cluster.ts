/**
 * Cluster: a Kubernetes cluster that Gardener makes for us, or one that somebody brings along, with those who
 * administer it.
 */
import type { KubeObject } from "@berg/apimachinery";
import { z } from "zod";
import { cloudName } from "./cluster-fields.ts";
import { byoc, infrastructure } from "./cluster-infrastructure.ts";
import type { clusterStatus } from "./cluster-status.ts";
import { list, objectName, text } from "./fields.ts";
import { fixed, immutable, type Rule, ruled, setOnce } from "./rules.ts";

/** In lower case, as Gardener wants them. */
export const clusterPurposes = ["evaluation", "testing", "development", "production", "infrastructure"] as const;

const purpose: Rule<string> = {
  cel: `self.lowerAscii() in [${clusterPurposes.map((each) => `'${each}'`).join(", ")}]`,
  message: `purpose must be one of ${clusterPurposes.join(", ")}`,
  holds: (self) => (clusterPurposes as readonly string[]).includes(self.toLowerCase()),
};

const timeOfDay = () =>
  text({
    max: 11,
    pattern: /^([01][0-9]|2[0-3])[0-5][0-9][0-5][0-9][-+]([01][0-9]|2[0-3])[0-5][0-9]$/,
    must: "must be a time of day with its offset, such as 220000+0100",
  });

const maintenance = z
  .strictObject({
    timeWindow: z
      .strictObject({
        begin: timeOfDay().describe("From this time of day on, such as 220000+0100."),
        end: timeOfDay().describe("Until this time of day, such as 230000+0100."),
      })
      .describe("When Gardener may change the cluster. Left out: it chooses an hour.")
      .exactOptional(),
    autoUpdate: z
      .strictObject({
        kubernetesVersion: z
          .boolean()
          .describe("Whether Gardener keeps the patch version of Kubernetes up to date.")
          .default(true),
        machineImageVersion: z
          .boolean()
          .describe("Whether Gardener keeps the image of the machines up to date.")
          .default(true),
      })
      .describe("What Gardener updates by itself.")
      .exactOptional(),
  })
  .describe("When and what Gardener maintains by itself. Left out: as it likes. Taken away: it stays as it is.");

const core = ruled(
  z.strictObject({
    purpose: ruled(text({ max: 16 }), purpose)
      .describe(
        `What the cluster is for, in upper or lower case: ${clusterPurposes.join(", ")}. Gardener looks better after some than after others.`,
      )
      .default("evaluation"),
    region: ruled(cloudName(), immutable("region")).describe(
      "Region of the cloud, such as eu-central-1. It cannot be changed.",
    ),
    shootName: text({
      min: 1,
      max: 20,
      pattern: /^[a-z0-9]+(-[a-z0-9]+)*$/,
      must: "must be lower-case letters, digits and single '-' between them",
    })
      .describe(
        "Name of the Shoot in Gardener; with the name of the project at most 21 characters. Left out: one is made up. It cannot be changed.",
      )
      .exactOptional(),
    kubernetesVersion: text({
      max: 16,
      pattern: /^[0-9]+\.[0-9]+(\.[0-9]+)?$/,
      must: "must be a version such as 1.33 or 1.33.4",
    })
      .describe(
        "Version of Kubernetes, such as 1.33. A cluster never goes back to an older one. Left out: Gardener's. Taken away: it stays as it is.",
      )
      .exactOptional(),
    cloudProfile: objectName()
      .describe(
        "Name of the CloudProfile in Gardener. Left out: the one called as the provider is. It cannot be changed once the Shoot is there.",
      )
      .exactOptional(),
    exposureClassName: objectName()
      .describe(
        "Name of the ExposureClass in Gardener: from where the API server can be reached. It cannot be changed once the Shoot is there.",
      )
      .exactOptional(),
    highAvailability: z
      .enum(["node", "zone"])
      .describe("What the control plane survives the loss of. Once set it cannot be changed.")
      .exactOptional(),
    maintenance: maintenance.exactOptional(),
  }),
  fixed("shootName"),
  setOnce("highAvailability"),
).describe("What kind of cluster it is, and where. Required with infrastructure, and not with byoc.");

const extensions = z
  .strictObject({
    shootNetworkingFilterDisabled: z
      .boolean()
      .describe(
        "Whether Gardener's filter of known malicious addresses is off. Left out: as the garden has it. Taken away: it stays as it is.",
      )
      .exactOptional(),
  })
  .describe("Extensions of Gardener. Not with byoc.");

const claim = (what: string) => text({ min: 1, max: 256 }).describe(what);

const oidcPrefix = (what: string) =>
  ruled(text({ max: 256 }), {
    cel: "!self.startsWith('system:')",
    message: "a prefix cannot begin with system:, which Kubernetes keeps for its own users and groups",
    holds: (self) => !self.startsWith("system:"),
  }).describe(what);

const oidcConfig = z
  .strictObject({
    issuerURL: text({ min: 1, max: 2048 }).describe(
      "Address of the issuer of tokens, which begins with https://. What a cluster cannot use is told in the condition OIDCConfigured.",
    ),
    clientID: text({ min: 1, max: 512 }).describe("Whom the tokens are for: their audience."),
    usernameClaim: claim("The claim that is the name of the user.").default("sub"),
    usernamePrefix: oidcPrefix(
      "Put before each user name. '-': nothing. Left out or empty, as with the API server's flag --oidc-username-prefix: '<issuerURL>#', or nothing where usernameClaim is email. Users whose name then begins with system: cannot sign in.",
    ).exactOptional(),
    groupsClaim: claim("The claim that lists the groups of the user. Left out: no groups.").exactOptional(),
    groupsPrefix: oidcPrefix(
      "Put before each group. Left out, empty or '-', as with the API server's flag --oidc-groups-prefix: nothing. Users with a group that then begins with system: cannot sign in.",
    ).exactOptional(),
    signingAlgs: list(text({ min: 1, max: 32 }).describe("One algorithm, such as RS256."), 16)
      .describe("Algorithms that the issuer signs with. Current clusters take all that Kubernetes supports.")
      .exactOptional(),
  })
  .describe("Who may sign in to the cluster with OpenID Connect. Not with byoc.");

// Whoever is made administrator of system:anonymous or system:unauthenticated is everybody.
const administrator = ruled(text({ min: 1, max: 253 }), {
  cel: "!self.startsWith('system:')",
  message: "an administrator cannot be one of Kubernetes' own users, which begin with system:",
  holds: (self) => !self.startsWith("system:"),
}).describe(
  "Name of one user, as the cluster knows it, such as user.id@example.com: with the prefix that oidcConfig puts before it.",
);

export const clusterSpec = ruled(
  z.strictObject({
    core: core.exactOptional(),
    extensions: extensions.exactOptional(),
    oidcConfig: oidcConfig.exactOptional(),
    infrastructure: infrastructure.exactOptional(),
    byoc: byoc.exactOptional(),
    administrators: list(administrator, 128)
      .describe("Users who are cluster-admin in the cluster. Whoever is taken from the list is so no more.")
      .default([]),
    deletionPolicy: z
      .enum(["Delete", "Retain"])
      .describe(
        "What becomes of the cluster with the object. Delete: it is deleted with everything in it. Retain: it is left alone.",
      )
      .default("Delete"),
  }),
  {
    cel: "has(self.infrastructure) != has(self.byoc)",
    message: "exactly one of infrastructure and byoc must be set",
    holds: (self) => (self.infrastructure === undefined) !== (self.byoc === undefined),
  },
  {
    cel: "!has(self.infrastructure) || has(self.core)",
    message: "core is required with infrastructure",
    field: "core",
    holds: (self) => self.infrastructure === undefined || self.core !== undefined,
  },
  {
    cel: "!has(self.byoc) || has(self.infrastructure) || (!has(self.core) && !has(self.extensions) && !has(self.oidcConfig))",
    message: "core, extensions and oidcConfig are for a cluster that Gardener makes: leave them out with byoc",
    field: "byoc",
    holds: ({ byoc, infrastructure, core, extensions, oidcConfig }) =>
      byoc === undefined || infrastructure !== undefined || (!core && !extensions && !oidcConfig),
  },
  {
    cel: "has(self.byoc) == has(oldSelf.byoc)",
    message: "a cluster of Gardener cannot become one that is brought along, nor the other way round",
    field: "byoc",
    holds: (self, before) => (self.byoc === undefined) === (before.byoc === undefined),
  },
).describe("Which cluster is wanted.");

export type ClusterSpec = z.output<typeof clusterSpec>;
export type ClusterCore = z.output<typeof core>;
export type ClusterOidcConfig = z.output<typeof oidcConfig>;
export type ClusterPurpose = (typeof clusterPurposes)[number];

/** As the API server returns it: every default is filled in. */
export interface Cluster extends KubeObject {
  spec: ClusterSpec;
  status?: z.output<typeof clusterStatus>;
}
