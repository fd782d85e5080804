/**
 * Who may sign in to a cluster with OpenID Connect, as its API server is told: a ConfigMap beside the Shoot. Pure.
 *
 * A change of that ConfigMap alone makes Gardener do nothing. So the Shoot carries a digest of it, by which we also know,
 * without asking, that it is as it should be.
 */
import type { ToCreate } from "@berg/apimachinery";
import type { ConfigMap } from "@berg/kube";
import type { ClusterOidcConfig } from "@berg/resources";
import { stringify } from "yaml";
import { authenticationNameOf, digestOf } from "../names.ts";
import type { Marks } from "../shoot/marks.ts";

/** Where Gardener looks for it. */
const key = "config.yaml";

export interface Authentication {
  readonly configMapName: string;
  readonly text: string;
  readonly digest: string;
}

/** Undefined where the issuer is none: see issuerProblem. */
export function authenticationOf(oidc: ClusterOidcConfig | undefined, shootName: string): Authentication | undefined {
  if (!oidc || issuerProblem(oidc) !== undefined) return undefined;
  const text = configurationOf(oidc);
  return { configMapName: authenticationNameOf(shootName), text, digest: digestOf(text) };
}

/** What an API server would refuse to start with. */
export function issuerProblem({ issuerURL }: ClusterOidcConfig): string | undefined {
  const url = URL.canParse(issuerURL) ? new URL(issuerURL) : undefined;
  if (!url) return "is no address";
  if (url.protocol !== "https:") return "does not begin with https://";
  if (url.username !== "" || url.password !== "") return "holds a user name or a password";
  return url.search === "" && url.hash === "" ? undefined : "has something behind its path (? or #)";
}

export function configMapOf(
  { configMapName, text }: Authentication,
  namespace: string,
  marks: Marks,
): ToCreate<ConfigMap> & { metadata: { name: string } } {
  return { metadata: { name: configMapName, namespace, ...marks }, data: { [key]: text } };
}

function configurationOf({
  issuerURL,
  clientID,
  usernameClaim,
  usernamePrefix,
  groupsClaim,
}: ClusterOidcConfig): string {
  return stringify({
    apiVersion: "apiserver.config.k8s.io/v1beta1",
    kind: "AuthenticationConfiguration",
    jwt: [
      {
        issuer: { url: issuerURL, audiences: [clientID] },
        claimMappings: {
          // "-" says none, as the flag of the API server that this once was.
          username: { claim: usernameClaim, prefix: usernamePrefix === "-" ? "" : (usernamePrefix ?? "") },
          ...(groupsClaim !== undefined && { groups: { claim: groupsClaim, prefix: "" } }),
        },
      },
    ],
  });
}
