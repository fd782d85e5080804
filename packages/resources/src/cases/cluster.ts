/** What the CRD of Cluster accepts and refuses, one case a constraint: a long table, to be read by the line. */
import { type Case, type Fields, repeated } from "./case.ts";

/** As the seed has it, word for word. */
const proposal = {
  core: { purpose: "Production", region: "eu-central-1" },
  extensions: { shootNetworkingFilterDisabled: true },
  oidcConfig: {
    clientID: "asdf",
    groupsClaim: "asdf",
    issuerURL: "asdf",
    signingAlgs: ["adsf"],
    usernameClaim: "asdf",
    usernamePrefix: "asdf",
  },
  infrastructure: {
    machineType: "m5.2xlarge",
    autoScalerMin: 5,
    autoScalerMax: 5,
    provider: "aws",
    numberOfZones: 3,
    subscriptionSelector: "globalaccount:abcd-0001",
  },
  administrators: ["user.id@sap.com", "other.id@sap.com"],
};

const networking = { type: "cilium", nodes: "10.1.0.0/16", pods: "10.2.0.0/16", services: "10.3.0.0/16" };

export const fullClusterSpec = {
  ...proposal,
  core: {
    ...proposal.core,
    shootName: "ctf-finals",
    kubernetesVersion: "1.33.4",
    cloudProfile: "aws",
    exposureClassName: "internet",
    highAvailability: "zone",
    maintenance: {
      timeWindow: { begin: "220000+0100", end: "230000+0100" },
      autoUpdate: { kubernetesVersion: false, machineImageVersion: true },
    },
  },
  infrastructure: {
    ...proposal.infrastructure,
    networking,
    zones: ["eu-central-1a", "eu-central-1b", "eu-central-1c"],
    volume: { type: "gp3", size: "80Gi" },
    machineImage: { name: "gardenlinux", version: "1592.4.0" },
    platformRegion: "cf-eu11",
    euAccess: true,
    plan: "build_runtime-aws",
  },
  deletionPolicy: "Retain",
};

const at = "2026-10-01T20:00:00Z";

export const fullClusterStatus = {
  observedGeneration: 2,
  phase: "Degraded",
  shootRef: { name: "ctf-finals", uid: "5f0c", technicalID: "shoot--ctf--ctf-finals" },
  zones: ["eu-central-1a", "eu-central-1b"],
  apiServerURL: "https://api.ctf-finals.ctf.example.com",
  certificateAuthorityHash: "0123456789abcdef",
  progress: 100,
  lastOperation: { type: "Reconcile", state: "Error", progress: 40, description: "no quota", lastUpdateTime: at },
  retries: { count: 1, lastRetryTime: at },
  errorCodes: ["ERR_INFRA_QUOTA_EXCEEDED"],
  userError: true,
  administrators: ["user.id@sap.com"],
  provisioningCompletedAt: at,
  conditions: [
    {
      type: "ClusterProvisioned",
      status: "True",
      observedGeneration: 2,
      lastTransitionTime: at,
      lastUpdateTime: at,
      reason: "Provisioned",
      message: "cluster running",
    },
  ],
};

const spec = (fields: Fields = {}): Fields => ({ ...proposal, ...fields });
const core = (fields: Fields): Fields => spec({ core: { region: "eu-central-1", ...fields } });
const infrastructure = (fields: Fields): Fields => spec({ infrastructure: { ...proposal.infrastructure, ...fields } });
const three = ["a", "b", "c"];
const byoc = (ref: Fields = { name: "mine" }): Fields => ({ byoc: { kubeconfigSecretRef: ref } });

const specs: [string, Fields, string[]?][] = [
  ["everything it can hold", fullClusterSpec],
  ["purpose in lower case", core({ purpose: "infrastructure" })],
  ["purpose in capitals", core({ purpose: "EVALUATION" })],
  ["another purpose", core({ purpose: "prod" }), ["spec.core.purpose"]],
  ["an empty purpose", core({ purpose: "" }), ["spec.core.purpose"]],
  ["no region", spec({ core: { purpose: "testing" } }), ["spec.core.region"]],
  ["a region in upper case", core({ region: "EU" }), ["spec.core.region"]],
  ["a region that is a path", core({ region: "../eu" }), ["spec.core.region"]],
  ["a Shoot's name of 20 characters", core({ shootName: "a".repeat(20) })],
  ["a Shoot's name of 21 characters", core({ shootName: "a".repeat(21) }), ["spec.core.shootName"]],
  ["a Shoot's name with two dashes", core({ shootName: "a--b" }), ["spec.core.shootName"]],
  ["a Shoot's name with a dot", core({ shootName: "a.b" }), ["spec.core.shootName"]],
  ["a version without a patch", core({ kubernetesVersion: "1.33" })],
  ["a version with a v", core({ kubernetesVersion: "v1.33" }), ["spec.core.kubernetesVersion"]],
  ["another kind of availability", core({ highAvailability: "region" }), ["spec.core.highAvailability"]],
  [
    "a maintenance window with colons",
    core({ maintenance: { timeWindow: { begin: "22:00", end: "230000+0100" } } }),
    ["spec.core.maintenance.timeWindow.begin"],
  ],
  [
    "a maintenance window at the 25th hour",
    core({ maintenance: { timeWindow: { begin: "250000+0100", end: "230000+0100" } } }),
    ["spec.core.maintenance.timeWindow.begin"],
  ],
  ["an OIDC issuer without a client", spec({ oidcConfig: { issuerURL: "https://a" } }), ["spec.oidcConfig.clientID"]],
  ["an OIDC client without an issuer", spec({ oidcConfig: { clientID: "a" } }), ["spec.oidcConfig.issuerURL"]],
  [
    "prefixes of users and groups",
    spec({ oidcConfig: { issuerURL: "a", clientID: "a", usernamePrefix: "oidc:", groupsPrefix: "-" } }),
  ],
  [
    "users that look like Kubernetes' own",
    spec({ oidcConfig: { issuerURL: "a", clientID: "a", usernamePrefix: "system:" } }),
    ["spec.oidcConfig.usernamePrefix"],
  ],
  [
    "groups that look like Kubernetes' own",
    spec({ oidcConfig: { issuerURL: "a", clientID: "a", groupsPrefix: "system:x" } }),
    ["spec.oidcConfig.groupsPrefix"],
  ],
  [
    "17 algorithms",
    spec({ oidcConfig: { issuerURL: "a", clientID: "a", signingAlgs: repeated(17, String) } }),
    ["spec.oidcConfig.signingAlgs"],
  ],

  ["another provider", infrastructure({ provider: "AWS" }), ["spec.infrastructure.provider"]],
  [
    "a provider that we make no Shoots for",
    infrastructure({ provider: "openstack" }),
    ["spec.infrastructure.provider"],
  ],
  ["no machine type", infrastructure({ machineType: undefined }), ["spec.infrastructure.machineType"]],
  ["a machine type of azure", infrastructure({ machineType: "Standard_D4s_v5" })],
  ["a machine type with a space", infrastructure({ machineType: "m5 large" }), ["spec.infrastructure.machineType"]],
  ["no machine at all", infrastructure({ autoScalerMin: 0 }), ["spec.infrastructure.autoScalerMin"]],
  ["more machines than the most", infrastructure({ autoScalerMin: 6 }), ["spec.infrastructure.autoScalerMin"]],
  ["1001 machines", infrastructure({ autoScalerMax: 1001 }), ["spec.infrastructure.autoScalerMax"]],
  [
    "fewer machines than zones",
    infrastructure({ autoScalerMin: 1, autoScalerMax: 2 }),
    ["spec.infrastructure.autoScalerMax"],
  ],
  ["as many machines as zones", infrastructure({ autoScalerMin: 3, autoScalerMax: 3 })],
  ["no zones", infrastructure({ numberOfZones: 0 }), ["spec.infrastructure.numberOfZones"]],
  ["8 zones of aws", infrastructure({ autoScalerMax: 8, numberOfZones: 8 })],
  ["9 zones of aws", infrastructure({ autoScalerMax: 9, numberOfZones: 9 }), ["spec.infrastructure.numberOfZones"]],
  ["3 zones of azure", infrastructure({ provider: "azure", numberOfZones: 3 })],
  ["4 zones of azure", infrastructure({ provider: "azure", numberOfZones: 4 }), ["spec.infrastructure.numberOfZones"]],
  ["zones of azure by name", infrastructure({ provider: "azure", numberOfZones: 2, zones: ["1", "3"] })],
  ["fewer zones by name than by number", infrastructure({ zones: ["a", "b"] }), ["spec.infrastructure.zones"]],
  ["a zone named twice", infrastructure({ zones: ["a", "b", "a"] }), ["spec.infrastructure.zones"]],
  ["an account that is shared", infrastructure({ subscriptionSelector: "shared" })],
  ["an account by its tenant alone", infrastructure({ subscriptionSelector: "abcd-0001" })],
  [
    "an account of nobody",
    infrastructure({ subscriptionSelector: "globalaccount:" }),
    ["spec.infrastructure.subscriptionSelector"],
  ],
  ["a plan of 63 characters", infrastructure({ plan: "a".repeat(63) })],
  ["a plan of 64 characters", infrastructure({ plan: "a".repeat(64) }), ["spec.infrastructure.plan"]],
  ["an empty plan", infrastructure({ plan: "" }), ["spec.infrastructure.plan"]],
  ["a plan with a space", infrastructure({ plan: "a b" }), ["spec.infrastructure.plan"]],
  ["a plan in upper case", infrastructure({ plan: "Trial" }), ["spec.infrastructure.plan"]],
  ["a plan that ends with an underscore", infrastructure({ plan: "trial_" }), ["spec.infrastructure.plan"]],
  [
    "a region of the platform with an underscore",
    infrastructure({ platformRegion: "cf_eu" }),
    ["spec.infrastructure.platformRegion"],
  ],
  ["an empty region of the platform", infrastructure({ platformRegion: "" }), ["spec.infrastructure.platformRegion"]],
  ["no access from the EU alone", infrastructure({ euAccess: false })],
  ["text for euAccess", infrastructure({ euAccess: "true" }), ["spec.infrastructure.euAccess"]],
  [
    "an address with letters",
    infrastructure({ networking: { nodes: "10.0.0.x/16" } }),
    ["spec.infrastructure.networking.nodes"],
  ],
  [
    "an address over 255",
    infrastructure({ networking: { pods: "10.256.0.0/16" } }),
    ["spec.infrastructure.networking.pods"],
  ],
  [
    "a range over 32 bits",
    infrastructure({ networking: { services: "10.0.0.0/33" } }),
    ["spec.infrastructure.networking.services"],
  ],
  ["a disk without a unit", infrastructure({ volume: { size: "80" } }), ["spec.infrastructure.volume.size"]],
  [
    "an image without a name",
    infrastructure({ machineImage: { version: "1" } }),
    ["spec.infrastructure.machineImage.name"],
  ],
  ["no infrastructure and nothing brought along", { core: proposal.core }, ["spec"]],
  ["infrastructure, and a cluster brought along", { ...spec(), ...byoc() }, ["spec"]],
  ["infrastructure without a core", { infrastructure: proposal.infrastructure }, ["spec.core"]],
  ["null for a core", { ...proposal, core: null }, ["spec.core"]],

  ["a cluster brought along with a region", { ...byoc(), core: { region: "here" } }, ["spec.byoc"]],
  ["a cluster brought along with an issuer", { ...byoc(), oidcConfig: proposal.oidcConfig }, ["spec.byoc"]],
  ["a cluster brought along with extensions", { ...byoc(), extensions: {} }, ["spec.byoc"]],
  ["a cluster brought along without a Secret", { byoc: {} }, ["spec.byoc.kubeconfigSecretRef"]],
  ["a Secret without a name", byoc({ key: "k" }), ["spec.byoc.kubeconfigSecretRef.name"]],
  ["a Secret in another namespace", byoc({ name: "kube-system/admin" }), ["spec.byoc.kubeconfigSecretRef.name"]],
  ["a key that is a path", byoc({ name: "mine", key: "a/b" }), ["spec.byoc.kubeconfigSecretRef.key"]],

  ["an administrator without a name", spec({ administrators: [""] }), ["spec.administrators[0]"]],
  ["everybody as administrator", spec({ administrators: ["a", "system:anonymous"] }), ["spec.administrators[1]"]],
  ["128 administrators", spec({ administrators: repeated(128, (i) => `user-${i}`) })],
  ["129 administrators", spec({ administrators: repeated(129, (i) => `user-${i}`) }), ["spec.administrators"]],
  ["another policy", spec({ deletionPolicy: "Orphan" }), ["spec.deletionPolicy"]],
  ["a field that does not exist", spec({ workers: [] }), ["spec.workers"]],
];

const changes: [string, Fields, Fields, string[]?][] = [
  ["nothing changes", fullClusterSpec, fullClusterSpec],
  ["more machines, of another type", spec(), infrastructure({ machineType: "m6i.large", autoScalerMax: 9 })],
  ["another purpose", spec(), core({ purpose: "testing" })],
  ["other administrators", spec(), spec({ administrators: [] })],
  ["a default said aloud", byoc(), byoc({ name: "mine", key: "kubeconfig" })],
  ["another region", spec(), core({ purpose: "Production", region: "eu-west-1" }), ["spec.core.region"]],
  ["another provider", spec(), infrastructure({ provider: "gcp" }), ["spec.infrastructure.provider"]],
  [
    "another account",
    spec(),
    infrastructure({ subscriptionSelector: "shared" }),
    ["spec.infrastructure.subscriptionSelector"],
  ],
  [
    "other addresses",
    spec(),
    infrastructure({ networking: { nodes: "10.1.0.0/16" } }),
    ["spec.infrastructure.networking"],
  ],
  ["the addresses left out", infrastructure({ networking }), spec(), ["spec.infrastructure.networking"]],
  ["a zone more", spec(), infrastructure({ numberOfZones: 4 })],
  ["a zone less, before there is one", spec(), infrastructure({ numberOfZones: 2 })],
  ["other zones, before there is one", infrastructure({ zones: three }), infrastructure({ zones: ["x", "y", "z"] })],
  ["another CloudProfile, before the Shoot", core({ cloudProfile: "nebula" }), core({ cloudProfile: "aws" })],
  ["no ExposureClass any more, before the Shoot", core({ exposureClassName: "moon" }), core({})],
  ["a first plan", spec(), infrastructure({ plan: "trial" }), ["spec.infrastructure.plan"]],
  ["another plan", infrastructure({ plan: "trial" }), infrastructure({ plan: "free" }), ["spec.infrastructure.plan"]],
  ["no plan any more", infrastructure({ plan: "trial" }), spec(), ["spec.infrastructure.plan"]],
  [
    "a first region of the platform",
    spec(),
    infrastructure({ platformRegion: "cf-eu11" }),
    ["spec.infrastructure.platformRegion"],
  ],
  [
    "another region of the platform",
    infrastructure({ platformRegion: "cf-eu11" }),
    infrastructure({ platformRegion: "cf-eu10" }),
    ["spec.infrastructure.platformRegion"],
  ],
  [
    "no region of the platform any more",
    infrastructure({ platformRegion: "cf-eu11" }),
    spec(),
    ["spec.infrastructure.platformRegion"],
  ],
  ["a first word on euAccess", spec(), infrastructure({ euAccess: false }), ["spec.infrastructure.euAccess"]],
  [
    "other people who look after the account",
    infrastructure({ euAccess: true }),
    infrastructure({ euAccess: false }),
    ["spec.infrastructure.euAccess"],
  ],
  ["no word on euAccess any more", infrastructure({ euAccess: true }), spec(), ["spec.infrastructure.euAccess"]],
  ["a first name of the Shoot", spec(), core({ shootName: "a" }), ["spec.core.shootName"]],
  ["no name of the Shoot any more", core({ shootName: "a" }), core({}), ["spec.core.shootName"]],
  ["a control plane that survives more", core({}), core({ highAvailability: "node" })],
  [
    "a control plane that survives other things",
    core({ highAvailability: "node" }),
    core({ highAvailability: "zone" }),
    ["spec.core.highAvailability"],
  ],
  ["a cluster of Gardener brought along", spec(), byoc(), ["spec.byoc"]],
  ["a cluster brought along made by Gardener", byoc(), spec(), ["spec.byoc"]],
  ["another Secret", byoc(), byoc({ name: "another" })],
  ["another policy", spec(), spec({ deletionPolicy: "Retain" })],
];

/** Of one for which three zones were stored, and whose Shoot Gardener did not take. */
const changesInVain: [string, Fields, Fields][] = [
  ["other zones", infrastructure({ zones: three }), infrastructure({ zones: ["b", "c", "d"] })],
  ["other zones are named", spec(), infrastructure({ zones: ["x", "y", "z"] })],
  ["a zone less", spec(), infrastructure({ numberOfZones: 2 })],
];

/** Of one that has a Shoot, which stands in three zones. */
const laterChanges: [string, Fields, Fields, string[]?][] = [
  ["nothing changes", fullClusterSpec, fullClusterSpec],
  ["its zones are named", spec(), infrastructure({ zones: three })],
  [
    "its zones are named in another order",
    infrastructure({ zones: three }),
    infrastructure({ zones: ["c", "a", "b"] }),
  ],
  ["its zones are not named any more", infrastructure({ zones: three }), spec()],
  ["a zone more", infrastructure({ zones: three }), infrastructure({ zones: [...three, "d"], numberOfZones: 4 })],
  [
    "a zone that it does not stand in yet is corrected",
    infrastructure({ zones: [...three, "mars"], numberOfZones: 4 }),
    infrastructure({ zones: [...three, "d"], numberOfZones: 4 }),
  ],
  [
    "a zone in the place of another",
    infrastructure({ zones: three }),
    infrastructure({ zones: ["a", "b", "d"] }),
    ["spec.infrastructure.zones"],
  ],
  ["other zones are named", spec(), infrastructure({ zones: ["a", "b", "d"] }), ["spec.infrastructure.zones"]],
  ["more zones than there are, taken back", infrastructure({ numberOfZones: 5 }), infrastructure({ numberOfZones: 3 })],
  ["a zone less", spec(), infrastructure({ numberOfZones: 2 }), ["spec.infrastructure.numberOfZones"]],
  [
    "another machine, where zones were changed before this was refused",
    infrastructure({ zones: ["x"], numberOfZones: 1 }),
    infrastructure({ zones: ["x"], numberOfZones: 1, machineType: "m6i.large" }),
  ],
  ["a first CloudProfile", core({}), core({ cloudProfile: "aws" }), ["spec.core.cloudProfile"]],
  ["another CloudProfile", core({ cloudProfile: "a" }), core({ cloudProfile: "b" }), ["spec.core.cloudProfile"]],
  ["no CloudProfile any more", core({ cloudProfile: "a" }), core({}), ["spec.core.cloudProfile"]],
  ["a first ExposureClass", core({}), core({ exposureClassName: "a" }), ["spec.core.exposureClassName"]],
  [
    "another ExposureClass",
    core({ exposureClassName: "a" }),
    core({ exposureClassName: "b" }),
    ["spec.core.exposureClassName"],
  ],
  ["no ExposureClass any more", core({ exposureClassName: "a" }), core({}), ["spec.core.exposureClassName"]],
];

const statuses: [string, Fields, string[]?][] = [
  ["everything it can hold", fullClusterStatus],
  ["nothing", {}],
  ["another phase", { phase: "Running" }, ["status.phase"]],
  ["more than all of it", { progress: 101 }, ["status.progress"]],
  ["a Shoot without a UID", { shootRef: { name: "a" } }, ["status.shootRef.uid"]],
  ["a time that is none", { provisioningCompletedAt: "soon" }, ["status.provisioningCompletedAt"]],
  [
    "a condition as the seed has it, true as a boolean",
    { conditions: [{ type: "ClusterProvisioned", status: true }] },
    ["status.conditions[0].status"],
  ],
  [
    "a message of 4097 characters",
    { conditions: [{ type: "Reachable", status: "True", message: "m".repeat(4097) }] },
    ["status.conditions[0].message"],
  ],
];

const kind = "Cluster";

const filledIn = {
  core: { purpose: "evaluation" },
  infrastructure: {
    networking: { type: "calico", nodes: "10.250.0.0/16", pods: "100.96.0.0/11", services: "100.64.0.0/13" },
  },
  administrators: [],
  deletionPolicy: "Delete",
};

export const clusterCases: Case[] = [
  { name: "the seed's example", kind, write: { spec: proposal }, wantStored: { spec: proposal } },
  {
    name: "the least that it needs",
    kind,
    write: { spec: { core: { region: "eu-central-1" }, infrastructure: proposal.infrastructure } },
    wantStored: { spec: filledIn },
  },
  {
    name: "the least that one brought along needs",
    kind,
    write: { spec: byoc() },
    wantStored: { spec: byoc({ name: "mine", key: "kubeconfig" }) },
  },
  ...specs.map(([name, spec, wantRefused = []]): Case => ({ name, kind, write: { spec }, wantRefused })),
  { name: "no spec", kind, write: {}, wantRefused: ["spec"] },
  ...changes.map(
    ([name, before, spec, wantRefused = []]): Case => ({
      name: `a change: ${name}`,
      kind,
      before: { spec: before },
      write: { spec },
      wantRefused,
    }),
  ),
  ...changesInVain.map(
    ([name, before, spec]): Case => ({
      name: `a change with zones and no Shoot: ${name}`,
      kind,
      before: { spec: before, status: { zones: three } },
      write: { spec },
    }),
  ),
  ...laterChanges.map(
    ([name, before, spec, wantRefused = []]): Case => ({
      name: `a change with a Shoot: ${name}`,
      kind,
      before: { spec: before, status: { shootRef: { name: "a", uid: "b" }, zones: three } },
      write: { spec },
      wantRefused,
    }),
  ),
  ...statuses.map(
    ([name, status, wantRefused = []]): Case => ({
      name: `a status: ${name}`,
      kind,
      before: { spec: proposal },
      write: { spec: proposal, status },
      wantRefused,
    }),
  ),
];
