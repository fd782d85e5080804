/** Which garden, and how hard it may be worked. */
import { isDNS1123Label, quoted } from "@berg/apimachinery";
import * as read from "@berg/kube/variables";
import { gardenRate } from "../gardener/garden.ts";

export const gardenVariables = {
  namespace: read.variable(
    "GARDEN_PROJECT",
    "",
    "The project of Gardener in which Shoots are made and accounts are found. It has no default.",
    (text) => `garden-${project(text)}`,
  ),
  poolKind: read.variable(
    "POOL_KIND",
    "CredentialsBinding",
    "What an account of the pool is in Gardener: CredentialsBinding, or SecretBinding in an old one (Kubernetes below 1.34 only).",
    read.choice("CredentialsBinding", "SecretBinding"),
  ),
  requestsPerSecond: read.variable(
    "GARDEN_REQUESTS_PER_SECOND",
    String(gardenRate.perSecond),
    "How many requests a second go to Gardener at most.",
    read.count(1, 1000),
  ),
  burst: read.variable(
    "GARDEN_BURST",
    String(gardenRate.burst),
    "How many requests may go to Gardener at once after a pause.",
    read.count(1, 1000),
  ),
};

function project(text: string): string {
  if (text === "") throw new Error("it is not set: give the name of the project in Gardener");
  // Gardener allows a project and a Shoot 21 characters together.
  if (!isDNS1123Label(text) || text.length > 10)
    throw new Error(`${quoted(text)} is not the name of a project: 1-10 of a-z, 0-9 and "-"`);
  return text;
}
