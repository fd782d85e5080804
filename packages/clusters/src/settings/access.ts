/** What may be reached, and what may be given away. */
import { quoted } from "@berg/apimachinery";
import * as read from "@berg/kube/variables";
import { parseSubnet } from "../target/address/addresses.ts";
import { each, partsOf, shortTime } from "./parsers.ts";

export const accessVariables = {
  allowedCidrs: read.variable(
    "BYOC_ALLOW_CIDRS",
    "none",
    "Subnets in which a cluster that is brought along may be, though nobody's cluster is there by default: loopback, link-local, metadata, multicast. With commas between them, such as 127.0.0.0/8,::1/128.",
    (text) => (text === "none" ? [] : each(partsOf(text, ","), subnet)),
  ),
  rotationGraceMs: read.variable(
    "ROTATION_GRACE",
    "30s",
    "How long the kubeconfig before is good after a rotation that was asked for.",
    shortTime,
  ),
  allowEscalating: read.variable(
    "ALLOW_ESCALATING_RULES",
    "false",
    "Whether kubeconfigs may have rules with which their holders can keep or pass on access after a revocation: everything at once, writing roles and bindings, impersonate, tokens of service accounts, and what comes to the same, such as Secrets or pods in every namespace.",
    read.flag,
  ),
};

function subnet(text: string): string {
  if (!parseSubnet(text)) throw new Error(`${quoted(text)} is not a subnet such as 10.0.0.0/8 or fd00::/8`);
  return text;
}
