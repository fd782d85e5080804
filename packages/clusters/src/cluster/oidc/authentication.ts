/**
 * The AuthenticationConfiguration of a cluster's API server, in a ConfigMap beside the Shoot. Pure.
 *
 * Gardener does not react to a change of that ConfigMap. Therefore the Shoot carries a digest of it: a new digest makes
 * Gardener reconcile, and an equal one shows without a request that the ConfigMap is up to date.
 */
import type { ToCreate } from "@berg/apimachinery";
import type { ConfigMap } from "@berg/kube";
import type { ClusterOidcConfig } from "@berg/resources";
import { stringify } from "yaml";
import { authenticationNameOf, digestOf } from "../names.ts";
import type { Marks } from "../shoot/marks.ts";

/** The key that Gardener reads. */
const key = "config.yaml";

export interface Authentication {
  readonly configMapName: string;
  readonly text: string;
  readonly digest: string;
}

/** Undefined where the issuer's address cannot be used: see issuerProblem. */
export function authenticationOf(oidc: ClusterOidcConfig | undefined, shootName: string): Authentication | undefined {
  if (!oidc || issuerProblem(oidc) !== undefined) return undefined;
  const text = configurationOf(oidc);
  return { configMapName: authenticationNameOf(shootName), text, digest: digestOf(text) };
}

/** Why an API server would refuse to start with this issuer. */
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

/** `https://issuer.example.com#<sub>`: what users are called in the cluster, in bindings and in `administrators`. */
export function userNamePattern(oidc: ClusterOidcConfig): string {
  return `${usernamePrefixOf(oidc)}<${oidc.usernameClaim}>`;
}

function configurationOf(oidc: ClusterOidcConfig): string {
  const { issuerURL, clientID, usernameClaim, groupsClaim, groupsPrefix = "" } = oidc;
  return stringify(
    {
      apiVersion: "apiserver.config.k8s.io/v1beta1",
      kind: "AuthenticationConfiguration",
      jwt: [
        {
          issuer: { url: issuerURL, audiences: [clientID] },
          claimMappings: {
            username: { claim: usernameClaim, prefix: usernamePrefixOf(oidc) },
            ...(groupsClaim !== undefined && { groups: { claim: groupsClaim, prefix: withoutDash(groupsPrefix) } }),
          },
          userValidationRules: noSystemIdentities,
        },
      ],
    },
    { lineWidth: 0 },
  );
}

/**
 * The default of the API server's flag --oidc-username-prefix. A structured configuration has none, and without a prefix
 * anyone with an account at the issuer can be called like a user of another source.
 */
function usernamePrefixOf({ issuerURL, usernameClaim, usernamePrefix = "" }: ClusterOidcConfig): string {
  if (usernamePrefix !== "") return withoutDash(usernamePrefix);
  return usernameClaim === "email" ? "" : `${issuerURL}#`;
}

/** "-" is how the flags of the API server say that there is no prefix. */
function withoutDash(prefix: string): string {
  return prefix === "-" ? "" : prefix;
}

/** An issuer must not be able to make its users system:masters, nodes or service accounts, whatever its claims say. */
const noSystemIdentities = [
  {
    expression: "!user.username.startsWith('system:')",
    message: "user names that begin with system: are reserved for Kubernetes",
  },
  {
    expression: "user.groups.all(group, !group.startsWith('system:'))",
    message: "groups that begin with system: are reserved for Kubernetes",
  },
];
