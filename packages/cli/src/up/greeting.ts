/** What `berg up` prints once it runs: what is where, and what to do next. */
import type { SignInLinks } from "./pages.ts";

export interface Told {
  version: string;
  /** How long it took to be there. */
  elapsed: string;
  apiServer: string;
  directory: string;
  /** `podman 4.3.1`, or why there is none. */
  nodes: string;
  /** Undefined where only the control plane runs. */
  challenges?: { web: string; tls: string; ports: string };
  /** Undefined where it runs without pages. */
  web?: { publicUrl: string; problem: string | undefined; links: PrintedLinks };
  /** Names of the sample challenges. */
  samples: readonly string[];
  /** What is not isolated here, in plain words. */
  limitations: readonly string[];
}

export function greeting(told: Told): string {
  const { challenges } = told;
  const rows = [
    ...(told.web ? [["pages", told.web.publicUrl]] : []),
    ["API server", told.apiServer],
    ["nodes", told.nodes],
    ...(challenges
      ? [
          ["web", challenges.web],
          ["TLS", challenges.tls],
          ["ports", challenges.ports],
        ]
      : []),
    ["data", told.directory],
  ];
  return [
    `berg ${told.version}: ${challenges ? "challenge instances" : "a Kubernetes control plane"} on this machine, up in ${told.elapsed}`,
    "",
    ...rows.map(([what = "", where = ""]) => `  ${what.padEnd(12)} ${where}`),
    ...paragraph(told.limitations.map((text) => `Careful: ${text}`)),
    ...(told.web ? ["", ...signIn(told.web)] : []),
    "",
    "Or on the command line:",
    `  export KUBECONFIG=${told.directory}/kubeconfig`,
    ...commands(told),
    "",
    "Ctrl-C stops it; the next start finds everything again.",
    "",
  ].join("\n");
}

/** Links are secrets: where the output is no terminal, and so may be kept as a log, they are in a file. */
export type PrintedLinks = { links: SignInLinks; canRenew: boolean } | { file: string };

function signIn({ publicUrl, problem, links }: NonNullable<Told["web"]>): string[] {
  if (problem !== undefined) return [`The pages are not built: ${problem}`];
  return [
    ...signInLines(links),
    ...(publicUrl.startsWith("http:")
      ? [
          "",
          `Careful: the pages use plain http. Open challenges only at the addresses that the pages show: under the name`,
          `${new URL(publicUrl).hostname} a challenge on another port would be sent your session.`,
        ]
      : []),
  ];
}

export function signInLines(printed: PrintedLinks): string[] {
  if ("file" in printed) return [`Sign-in links for a player and an admin are in ${printed.file}`];
  const { player, admin } = printed.links;
  return [
    "Open in your browser, to play or to look after it:",
    `  player  ${player}`,
    `  admin   ${admin}`,
    `Each link signs in once, within 15 minutes.${printed.canRenew ? " Press Enter for new ones." : ""}`,
  ];
}

function commands({ challenges, samples: [sample] }: Told): string[] {
  if (!challenges) return ["  kubectl get namespaces"];
  const start = sample ? [`  npm run -s berg -- instance start ${sample}`] : [];
  return [...start, "  kubectl get challenges,challengeinstances --all-namespaces"];
}

const paragraph = (lines: readonly string[]) => (lines.length > 0 ? ["", ...lines.map((line) => `  ${line}`)] : []);
