/**
 * Challenge: what an author writes. Berg has published two variants of it, the platform's and the controller's; this
 * one accepts what either does. Fields that may be null there need no `nullable` here: under our CRD the API server drops
 * a null before it validates, and `readStoredChallenge` does so for Challenges that were stored under another one.
 */
import type { KubeObject } from "@berg/apimachinery";
import { z } from "zod";
import { bandwidth, labelName, list, listMap, map, objectName, quantity, text, time, timeout } from "./fields.ts";
import { ruled } from "./rules.ts";
import { minimumUpToMaximum, points, scoringFields } from "./scoring.ts";

/** How a port can be reached, by the names that authors write. */
export const portTypes = ["internalPort", "publicPort", "publicHttpRoute", "publicTlsRoute"] as const;

export const dynamicFlagModes = ["suffix", "leetify"] as const;

export const flagTypes = ["static", "regex"] as const;

const port = z
  .strictObject({
    name: text({ max: 63 })
      .describe(
        "Name of the port. A named port is shown to players under this name, and every container of the challenge finds its address in the environment variable <NAME>_ENDPOINT.",
      )
      .exactOptional(),
    port: z
      .int()
      .min(1)
      .max(65535)
      .describe("Number of the port that the program in the container listens on.")
      .default(80),
    protocol: text({ max: 16, pattern: /^(?i:tcp|udp)$/, must: "must be tcp or udp" })
      .describe("Transport protocol: tcp or udp, in any case.")
      .default("tcp"),
    appProtocol: text({ max: 63 })
      .describe("What is spoken on the port, such as http or ssh. Only a hint for players on how to connect.")
      .exactOptional(),
    type: z
      .enum(portTypes)
      .describe(
        "Who can reach the port. internalPort: the other containers of the same instance. publicPort: everybody, at a port number of the cluster's nodes. publicHttpRoute: everybody, with a web browser, at a hostname of its own. publicTlsRoute: everybody, through TLS, at a hostname of its own.",
      )
      .default("internalPort"),
  })
  .describe("One port that a container serves.");

const fileMode = z.union([
  text({ max: 5, pattern: /^(0o?)?[0-7]{1,3}$/, must: "must be up to three octal digits, such as 0444" }),
  z.int().min(0).max(0o777),
]);

const flagPath = text({
  max: 1024,
  pattern: /^([/][^/:]+)+$/,
  must: "must be the absolute path of a file, such as /home/ctf/flag.txt, without ':'",
}).describe(
  "Absolute path of the file in the container. {entropy} in it becomes 12 characters that no player can guess.",
);

const dynamicFlag = ruled(
  z.strictObject({
    env: z
      .strictObject({
        name: text({
          max: 256,
          pattern: /^[A-Za-z_.-][A-Za-z0-9_.-]*$/,
          must: "must be the name of an environment variable, such as FLAG",
        }).describe("Name of the environment variable, such as FLAG."),
      })
      .describe("Hand the flag over in an environment variable.")
      .exactOptional(),
    content: z
      .strictObject({
        path: flagPath,
        mode: fileMode
          .describe(
            'Permissions of the file: octal digits in quotes, such as "0444" (the default), or their value as a number.',
          )
          .exactOptional(),
      })
      .describe("Put the flag, followed by a line feed, into a file.")
      .exactOptional(),
    executable: z
      .strictObject({
        path: flagPath,
        mode: fileMode
          .describe(
            'Permissions of the file: octal digits in quotes, such as "0111" (the default), or their value as a number. Whoever may read the file can find the flag without running it.',
          )
          .exactOptional(),
      })
      .describe("Put a program into a file that prints the flag when it is run.")
      .exactOptional(),
  }),
  {
    cel: "[has(self.env), has(self.content), has(self.executable)].exists_one(isSet, isSet)",
    message: "exactly one of env, content and executable must be set",
    holds: (flag) => [flag.env, flag.content, flag.executable].filter((way) => way !== undefined).length === 1,
  },
).describe("How this container gets the flag of its instance. Leave it out where every instance has the same flag.");

function resources(purpose: string) {
  return z
    .strictObject({
      cpu: quantity().describe("Processor cores, such as 500m for half of one.").exactOptional(),
      memory: quantity().describe("Memory in bytes, such as 256Mi.").exactOptional(),
      "ephemeral-storage": quantity()
        .describe("Space for files that the container writes, such as 1Gi.")
        .exactOptional(),
    })
    .describe(`${purpose} What is left out is decided by the organiser's defaults.`)
    .exactOptional();
}

function probe(purpose: string) {
  return z
    .looseObject({})
    .describe(`${purpose} A probe as Kubernetes has it: httpGet, tcpSocket, exec or grpc, with its timing.`)
    .exactOptional();
}

// An author who writes `DEBUG:` means an empty value, so this null is kept.
const environmentValue = z
  .union([text({ max: 65_536 }), z.number(), z.boolean()])
  .nullable()
  .describe("Text, a number, or true or false.");

const container = z
  .strictObject({
    hostname: text({
      max: 63,
      pattern: /^[a-z]([-a-z0-9]*[a-z0-9])?$/,
      must: "must be lower-case letters, digits and '-', starting with a letter and not ending with '-'",
    }).describe("Name of the container within its instance: the other containers reach it at this name."),
    image: text({ min: 1, max: 512, pattern: /^\S*$/, must: "must not contain spaces" }).describe(
      "Container image to run, such as registry.example.com/web:1.2.",
    ),
    environment: map(environmentValue, 512).describe("Environment variables of the container.").default({}),
    ports: listMap(port, ["port", "protocol"], 32).describe("Ports that the container serves.").default([]),
    dynamicFlag: dynamicFlag.exactOptional(),
    resourceRequests: resources("What is reserved for the container."),
    resourceLimits: resources("What the container can use at most."),
    readinessProbe: probe("Tells when the container is ready for players."),
    livenessProbe: probe("Tells when the container hangs and has to be restarted."),
    additionalCapabilities: list(
      text({ max: 63, pattern: /^[A-Z][A-Z0-9_]*$/, must: "must be a name such as NET_ADMIN" }).describe(
        "Name of a Linux capability without CAP_, such as NET_ADMIN.",
      ),
      64,
    )
      .describe("Linux capabilities that the container gets besides the usual ones.")
      .default([]),
    runtimeClassName: text({ max: 253 })
      .describe("RuntimeClass that isolates the container, such as gvisor. Empty: the organiser's default.")
      .exactOptional(),
    egressBandwidth: bandwidth()
      .describe("Most traffic out of the container, in bits per second, such as 10M.")
      .exactOptional(),
    ingressBandwidth: bandwidth()
      .describe("Most traffic into the container, in bits per second, such as 10M.")
      .exactOptional(),
  })
  .describe("One container of the challenge; each instance runs each container once.");

const attachment = z
  .strictObject({
    fileName: text({ max: 255 }).describe("Name under which players save the file.").exactOptional(),
    downloadUrl: text({ max: 2048 }).describe("Where the file can be downloaded.").exactOptional(),
    downloadImage: text({ max: 512 }).describe("OCI image that holds the file.").exactOptional(),
    downloadImagePullSecret: text({ max: 253 }).describe("Secret with the credentials for that image.").exactOptional(),
    downloadImageInsecure: z
      .boolean()
      .describe("Whether the image's registry may be asked without TLS.")
      .exactOptional(),
  })
  .describe("One file for players to download.");

const additionalFlag = z
  .strictObject({
    type: z
      .enum(flagTypes)
      .describe(
        "What the content is. static: the flag itself. regex: a pattern in RE2 syntax, which has to match the whole flag.",
      )
      .default("static"),
    content: text({ min: 1, max: 1024 }).describe("The flag or the pattern, such as flag\\{[0-9]+\\}."),
    caseInsensitive: z.boolean().describe("Whether upper and lower case are the same.").default(false),
  })
  .describe("One more flag that solves the challenge.");

const hint = z
  .strictObject({
    name: labelName().describe("Name of the hint for programs, such as first-step."),
    title: text({ max: 253 }).describe("Title of the hint, which players read before they unlock it.").default(""),
    content: text({ min: 1, max: 16_384 }).describe("Text of the hint; players see it once they have unlocked it."),
    cost: points(0).describe("How many points the hint costs.").default(0),
  })
  .describe("One hint.");

const scoringOverride = ruled(
  z.strictObject({
    formula: scoringFields.formula.exactOptional(),
    maximum: scoringFields.maximum.exactOptional(),
    minimum: scoringFields.minimum.exactOptional(),
    solvesBeforeMinimum: scoringFields.solvesBeforeMinimum.exactOptional(),
    bonuses: scoringFields.bonuses.exactOptional(),
  }),
  minimumUpToMaximum(
    "!has(self.minimum) || !has(self.maximum) || self.minimum <= self.maximum",
    "minimum cannot be more than maximum",
  ),
).describe("How many points a solve of this challenge gives. What is left out is as the Competition says.");

const word = (what: string) => text({ max: 253 }).describe(what);

export const challengeSpec = z
  .strictObject({
    displayName: text({ max: 253 }).describe("Title shown to players, instead of the object's name.").exactOptional(),
    author: text({ max: 253 }).describe("Who wrote the challenge.").exactOptional(),
    owners: list(text({ min: 1, max: 512 }).describe("Id of one player, or <issuer>#<subject> of an account."), 64)
      .describe("Authors who may look after the instances of this challenge.")
      .default([]),
    description: text({ max: 65_536 }).describe("Text shown to players; HTML is allowed.").exactOptional(),
    flag: text({ max: 1024 })
      .describe(
        "The flag that solves the challenge. Where instances have flags of their own, those are made from this one.",
      )
      .exactOptional(),
    flags: list(additionalFlag, 32)
      .describe(
        "More flags that solve the challenge, besides the flag. As with the flag, only where instances have no flags of their own.",
      )
      .default([]),
    flagFormat: text({ max: 253 })
      .describe("What a flag looks like, shown to players, such as flag{...}.")
      .exactOptional(),
    dynamicFlagMode: z
      .enum(dynamicFlagModes)
      .describe(
        "How each instance's flag is made from the flag. suffix: random characters are added. leetify: letters become digits at random.",
      )
      .default("suffix"),
    hideUntil: time().describe("Players do not see the challenge before this time.").exactOptional(),
    closesAt: time()
      .describe("From this time on no flag can be submitted. Players still see the challenge, and its solves count.")
      .exactOptional(),
    prerequisites: list(objectName().describe("Name of a Challenge."), 32)
      .describe("Challenges that a player or team has to solve before this one can be played.")
      .default([]),
    hints: listMap(hint, ["name"], 32).describe("Hints that players can unlock.").default([]),
    difficulty: text({ max: 63 })
      .describe("How hard it is: baby, easy, medium, hard or leet by convention.")
      .exactOptional(),
    categories: list(word("One category, such as web."), 32)
      .describe("Categories; the first one is the main one.")
      .default([]),
    tags: list(word("One tag, such as xss."), 64).describe("Tags that players can search for.").default([]),
    event: text({ max: 253 }).describe("The competition to which the challenge belongs.").exactOptional(),
    scoring: scoringOverride.exactOptional(),
    staticValue: z
      .number()
      .describe("Points for a solve. Not used any more; kept so that older Challenges remain valid.")
      .exactOptional(),
    timeout: timeout()
      .describe(
        "How long an instance lives, such as 30m or 1h30m, unless the instance says otherwise. Empty or left out: the organiser's default.",
      )
      .exactOptional(),
    until: time().describe("No instance of this challenge lives past this time, renewed or not.").exactOptional(),
    allowOutboundTraffic: z.boolean().describe("Whether containers can reach the internet.").default(false),
    connectionInfo: text({ max: 1024 })
      .describe(
        "How players reach a service that all of them share and that is not started for each, such as nc pwn.example.com 1337.",
      )
      .exactOptional(),
    containers: listMap(container, ["hostname"], 32)
      .describe("Containers of the challenge. None: there is nothing to start, as with a file to download.")
      .default([]),
    attachments: list(attachment, 64).describe("Files for players to download.").default([]),
  })
  .describe("What the challenge is, and what an instance of it runs.");

export type ChallengeSpec = z.output<typeof challengeSpec>;
export type ChallengeContainer = ChallengeSpec["containers"][number];
export type ChallengePort = ChallengeContainer["ports"][number];
export type DynamicFlag = NonNullable<ChallengeContainer["dynamicFlag"]>;
export type EnvironmentValue = z.output<typeof environmentValue>;
export type FileMode = z.output<typeof fileMode>;
export type AdditionalFlag = ChallengeSpec["flags"][number];
export type ChallengeScoring = NonNullable<ChallengeSpec["scoring"]>;
export type ChallengeResources = NonNullable<ChallengeContainer["resourceLimits"]>;

/** As the API server returns it under our CRD, or `readStoredChallenge` under any: every default is filled in. */
export interface Challenge extends KubeObject {
  spec: ChallengeSpec;
}
