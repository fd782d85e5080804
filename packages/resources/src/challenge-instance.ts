/** ChallengeInstance: one owner's running copy of a Challenge. The spec asks; the status tells what has become of it. */
import type { KubeObject } from "@berg/apimachinery";
import { z } from "zod";
import { conditionLimits, conditions, reason } from "./conditions.ts";
import { list, listMap, text, time, timeout, uuid } from "./fields.ts";
import { immutable, ruled, setOnce } from "./rules.ts";

export const phases = ["Pending", "Creating", "Starting", "Running", "Terminating", "Terminated", "Failed"] as const;

const runtimeStates = ["STARTING", "RUNNING", "STOPPED"] as const;

export const terminationReasons = ["UserRequest", "Timeout", "AdminTermination", "Failure"] as const;

/** A status write over one of these is refused as a whole: cut what may be longer. */
export const statusLimits = { ...conditionLimits, services: 256, history: 32, pods: 64 } as const;

const message = () => text({ max: statusLimits.message });

/** A request that is made by raising a number, so that asking twice for the same has no second effect. */
const counter = (field: string) =>
  ruled(z.int().min(0).max(1_000_000), {
    cel: "self >= oldSelf",
    message: `${field} can only grow`,
    holds: (self, before) => self >= before,
  });

const challengeRef = ruled(
  z.strictObject({
    name: text({
      min: 1,
      max: 64,
      pattern: /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/,
      must: "must be the name of a Challenge: lower-case letters, digits, '-' and '.'",
    }).describe("Name of the Challenge."),
    namespace: text({
      max: 63,
      pattern: /^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$/,
      must: "must be the name of a namespace: lower-case letters, digits and '-'",
    })
      .describe(
        "Namespace of the Challenge. Empty or left out: the namespace in which the organiser keeps all Challenges.",
      )
      .exactOptional(),
  }),
  immutable("challengeRef"),
).describe("The Challenge to run. It cannot be changed.");

export const challengeInstanceSpec = ruled(
  z.strictObject({
    challengeRef,
    ownerId: ruled(uuid(), immutable("ownerId")).describe(
      "UUID of the player or team to whom the instance belongs. An owner has one live instance at a time. It cannot be changed.",
    ),
    flag: text({ max: 1024 })
      .describe("The flag of this instance, made by whoever creates it. It can be set once, and never be changed.")
      .exactOptional(),
    timeout: timeout()
      .describe(
        "How long the instance lives from its start or last renewal, such as 30m or 1h30m. Empty or left out: what the Challenge says. A change moves the end of a living instance.",
      )
      .exactOptional(),
    until: time().describe("The instance does not live past this time, renewed or not.").exactOptional(),
    renewals: counter("renewals")
      .describe("How often more time was asked for. Raise it by one to ask for a renewal.")
      .default(0),
    restarts: counter("restarts")
      .describe(
        "How often a restart was asked for. Raise it to have the pods recreated; flag, addresses and expiry stay.",
      )
      .default(0),
    terminationReason: z
      .enum(terminationReasons)
      .describe("Set it to end the instance, as deleting it would, and to say why.")
      .exactOptional(),
  }),
  {
    cel: "!has(self.flag) || !self.flag.contains('\\u0000')",
    message: "flag cannot contain the NUL character",
    field: "flag",
    holds: ({ flag }) => !flag?.includes("\0"),
  },
  {
    cel: "!has(oldSelf.flag) || oldSelf.flag == '' || (has(self.flag) && self.flag == oldSelf.flag)",
    message: "flag cannot be changed once it is set",
    field: "flag",
    holds: (self, before) => !before.flag || self.flag === before.flag,
  },
).describe("Which challenge runs, for whom and for how long.");

const service = z
  .strictObject({
    name: text({ max: 253 }).describe("Name of the port, as the Challenge has it."),
    hostname: text({ max: 253 }).describe("Name to connect to."),
    port: z.int().min(1).max(65535).describe("Port number to connect to."),
    protocol: z.enum(["TCP", "UDP"]).describe("Transport protocol.").exactOptional(),
    appProtocol: text({ max: 63 }).describe("What is spoken there, such as http or ssh.").exactOptional(),
    tls: z.boolean().describe("Whether the connection has to be made with TLS.").exactOptional(),
  })
  .describe("One address at which players reach the instance.");

const expiryChange = z
  .strictObject({
    at: time().describe("When the expiry was set."),
    expiresAt: time().describe("What it was set to. Left out: the instance does not expire.").exactOptional(),
    reason: reason().describe("Why, in one word, such as Started or Renewed."),
    message: message().describe("Why, in plain words.").exactOptional(),
  })
  .describe("One change of the expiry.");

const runningPod = z
  .strictObject({
    container: text({ min: 1, max: 63 }).describe("Name of the container, as the Challenge has it."),
    podUid: text({ min: 1, max: 128 }).describe("UID of the pod that runs it now."),
    restarts: z.int().min(0).describe("How often it was started again in this pod."),
    replaced: z.int().min(0).describe("How many pods ran it before this one."),
  })
  .describe("The pod that runs one container.");

const runtime = z
  .strictObject({
    state: z.enum(runtimeStates).describe("How the instance runs."),
    reservedUntil: time().describe("Its place is held until then. Left out: no place is held.").exactOptional(),
    stoppedAt: time().describe("When it was found to run no more.").exactOptional(),
    pods: listMap(runningPod, ["container"], statusLimits.pods)
      .describe("The pod that runs each container.")
      .exactOptional(),
  })
  .describe("What the deployment listener has seen of its running.");

export const challengeInstanceStatus = ruled(
  z.strictObject({
    observedGeneration: z
      .int()
      .min(0)
      .describe("metadata.generation of the spec that this status answers.")
      .exactOptional(),
    phase: z.enum(phases).describe("Where the instance is in its life.").exactOptional(),
    reason: reason().describe("Why it is in this phase, in one word for programs, such as OwnerBusy.").exactOptional(),
    message: message().describe("Why it is in this phase, in plain words for the player.").exactOptional(),
    instanceId: uuid().describe("UUID of this instance. It never changes.").exactOptional(),
    namespace: text({ max: 63 }).describe("Namespace that holds everything of the instance.").exactOptional(),
    revision: text({ max: 253 })
      .describe(
        "ControllerRevision that holds what the instance runs: the Challenge as it was when the instance started.",
      )
      .exactOptional(),
    services: list(service, statusLimits.services)
      .describe("Addresses at which players reach the instance.")
      .exactOptional(),
    startedAt: time().describe("When the instance began to be made. It never changes.").exactOptional(),
    readyAt: time().describe("When the instance was Running for the first time.").exactOptional(),
    expiresAt: time().describe("When the instance ends by itself. Left out: it does not.").exactOptional(),
    timeout: text({ max: 32 }).describe("spec.timeout as it was when the expiry was counted.").exactOptional(),
    expiresSoon: z.boolean().describe("Whether the owner was warned that the time is nearly up.").exactOptional(),
    renewals: z
      .int()
      .min(0)
      .max(1_000_000)
      .describe("How many renewals of the spec have been answered.")
      .exactOptional(),
    restarts: z
      .int()
      .min(0)
      .max(1_000_000)
      .describe("How many restarts of the spec have been answered.")
      .exactOptional(),
    history: list(expiryChange, statusLimits.history)
      .describe("The latest changes of the expiry, oldest first.")
      .exactOptional(),
    terminatedAt: time().describe("When everything of the instance was gone.").exactOptional(),
    terminationReason: z.enum(terminationReasons).describe("Why the instance ended.").exactOptional(),
    conditions: conditions({ what: "instance", such: "NamespaceCreated or PodsReady" })
      .describe("What the parts of Berg have found, for troubleshooting.")
      .exactOptional(),
    runtime: runtime.exactOptional(),
  }),
  setOnce("instanceId"),
  setOnce("startedAt"),
).describe("What has become of the instance. Written by Berg alone.");

export type ChallengeInstanceSpec = z.output<typeof challengeInstanceSpec>;
export type ChallengeInstanceStatus = z.output<typeof challengeInstanceStatus>;
export type InstancePhase = (typeof phases)[number];
export type TerminationReason = (typeof terminationReasons)[number];
export type InstanceService = z.output<typeof service>;
export type InstanceRuntime = z.output<typeof runtime>;
export type ExpiryChange = z.output<typeof expiryChange>;

/** As the API server returns it: every default is filled in. */
export interface ChallengeInstance extends KubeObject {
  spec: ChallengeInstanceSpec;
  status?: ChallengeInstanceStatus;
}
