/** The names that an instance without outbound traffic may look up. Any other would carry data out, label by label. */
import type { Blueprint } from "../blueprint.ts";
import { instanceNamespaceName } from "../names.ts";
import type { DnsName } from "./cilium-type.ts";

const clusterDomain = "cluster.local.";

/** Longer patterns are refused, and match nothing: no name is longer than that. */
const longestName = 255;

export function allowedDnsNames({ instance, settings }: Blueprint): DnsName[] {
  const services = `svc.${clusterDomain}`;
  const own = `${instanceNamespaceName(instance.ownerId)}.${services}`;
  // A resolver first tries a name with each ending of its search list. Cilium refuses what is not allowed, and many
  // resolvers then give up rather than try the name itself: so the domain is allowed with those endings too.
  const domains = ["", own, services, clusterDomain].map((ending) => `${settings.domain}.${ending}`);
  const names: DnsName[] = [
    { matchPattern: `*.${own}` },
    ...domains.flatMap((domain) => [{ matchName: domain }, { matchPattern: `*.${domain}` }]),
  ];
  return names.filter((name) => ("matchName" in name ? name.matchName : name.matchPattern).length <= longestName);
}
