/**
 * Why an image cannot be pulled, out of the words of container runtimes and registries: those differ from try to try, and
 * a status must not. Empty where nothing is known that helps.
 */
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

/** A challenge may well be called "authentication", or "forbidden": names of images and hosts say nothing here. */
function withoutNames(message: string): string {
  return message.replaceAll(/"[^"]*"|\S*[./]\S+/g, "");
}
