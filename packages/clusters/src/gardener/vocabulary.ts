/** What is said where Gardener stands in the way: reasons and texts of conditions, the same with all three operators. */
export const gardenReasons = {
  unreachable: "GardenerUnreachable",
  unauthorized: "GardenerUnauthorized",
  forbidden: "GardenerForbidden",
  notFound: "GardenerNotFound",
  conflict: "GardenerConflict",
  invalid: "GardenerInvalid",
  busy: "GardenerBusy",
  failing: "GardenerFailing",
  refused: "GardenerRefused",
} as const;

export type GardenReason = (typeof gardenReasons)[keyof typeof gardenReasons];

/** `words` are the server's own, or empty. */
export const gardenTexts: Readonly<Record<GardenReason, (words: string) => string>> = {
  GardenerUnreachable: (words) =>
    `Gardener cannot be reached${bracketed(words)}. It goes on by itself when Gardener is back; if it stays away, check the server in the garden's kubeconfig, and the network.`,
  GardenerUnauthorized: (words) =>
    `Gardener does not accept the credentials of the garden's kubeconfig${bracketed(words)}: give it new ones.`,
  GardenerForbidden: (words) =>
    `Gardener forbids it${after(words)}. Gardener does so for some minutes after it has started; if it stays so, give the account of the garden's kubeconfig the rights in deploy/clusters.`,
  GardenerNotFound: (words) =>
    `Gardener does not have it${after(words)}. Check GARDEN_PROJECT, and that this Gardener serves the kind.`,
  GardenerConflict: (words) => `Somebody else wrote to Gardener at the same time${after(words)}: it is tried again.`,
  GardenerInvalid: (words) => `Gardener finds it invalid${after(words)}. Correct the spec.`,
  GardenerBusy: (words) => `Gardener has too much to do${bracketed(words)}: it is tried again.`,
  GardenerFailing: (words) => `Gardener fails${bracketed(words)}: it is tried again.`,
  GardenerRefused: (words) => `Gardener refuses it${after(words)}.`,
};

function after(words: string): string {
  return words === "" ? "" : `: ${words}`;
}

function bracketed(words: string): string {
  return words === "" ? "" : ` (${words})`;
}
