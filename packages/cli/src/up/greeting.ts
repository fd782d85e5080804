/** The one block that tells what runs where, and what to do next. */
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
  /** Names of the sample challenges. */
  samples: readonly string[];
  /** What is not isolated here, in plain words. */
  limitations: readonly string[];
}

export function greeting(told: Told): string {
  const { challenges } = told;
  const rows = [
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
    "",
    "Try:",
    `  export KUBECONFIG=${told.directory}/kubeconfig`,
    ...commands(told),
    "",
    "Ctrl-C stops it; the next start finds everything again.",
    "",
  ].join("\n");
}

function commands({ challenges, samples: [sample] }: Told): string[] {
  if (!challenges) return ["  kubectl get namespaces"];
  const start = sample ? [`  npm run -s berg -- instance start ${sample}`] : [];
  return [...start, "  kubectl get challenges,challengeinstances --all-namespaces"];
}

const paragraph = (lines: readonly string[]) => (lines.length > 0 ? ["", ...lines.map((line) => `  ${line}`)] : []);
