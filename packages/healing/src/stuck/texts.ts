/**
 * What players read about a stuck container. The texts do not change while nothing changes for the player: no counts, no
 * times, no words of the runtime, which differ from try to try. Each new text is a write for every instance that has it.
 */

/** `": it does not exist"`, out of what registries and container runtimes say; empty where that tells nothing. */
export function pullProblem(message = ""): string {
  const words = withoutNames(message);
  const [, problem] = problems.find(([sign]) => sign.test(words)) ?? [];
  return problem === undefined ? "" : `: ${problem}`;
}

// In this order: whoever may not see an image is often told that it was not found.
const problems: [sign: RegExp, problem: string][] = [
  [/no match for platform/i, "it is not made for the processors of the nodes"],
  [/may require authorization/i, "it does not exist, or the registry asks for other credentials"],
  [/too ?many ?requests/i, "the registry is asked too often"],
  [/unauthorized|authorize|authentication|credentials|denied|forbidden/i, "the registry asks for other credentials"],
  [/not found|manifest unknown|does not exist/i, "it does not exist"],
  [
    /no such host|misbehaving|timeout|deadline exceeded|refused|unreachable|no route|reset by peer/i,
    "the registry is not reached",
  ],
];

/** A challenge may well be called "authentication": names of images and hosts say nothing here. */
function withoutNames(message: string): string {
  return message.replaceAll(/"[^"]*"|\S*[./]\S+/g, "");
}

export const texts = {
  cannotBePulled: (image: string, message: string | undefined) =>
    `the image ${image} cannot be pulled${pullProblem(message)}`,
  cannotBeStarted: (why: string) => `it cannot be started (${why})`,
  outOfMemory: "it was stopped because it used more memory than it may",
  crashes: (exitCode: number) => `it ends by itself (exit code ${exitCode})`,
  outOfDisk: "it was stopped because it used more disk space than it may",
  evicted: "it was stopped because its node ran short of memory or disk space",
  failed: (why: string) => (why === "" ? "it has failed" : `it has failed (${why})`),
  noNodeFits: "no node of the cluster has room for it",
  notStarted: "its node takes too long to make it",
  notReady: "it runs, but is not ready",
} as const;
