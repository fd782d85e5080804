import type { ClusterOidcConfig } from "@berg/resources";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { marksOf } from "../shoot/marks.ts";
import { makeCluster } from "../testing/make-objects.ts";
import { authenticationOf, configMapOf, issuerProblem, userNamePattern } from "./authentication.ts";

const oidc = { issuerURL: "https://issuer.example.com", clientID: "kyma", usernameClaim: "sub" };

test("is a configuration of the API server, in a ConfigMap with our marks", () => {
  const authentication = authenticationOf({ ...oidc, usernamePrefix: "oidc:", groupsClaim: "groups" }, "red");
  const map = configMapOf(authentication as NonNullable<typeof authentication>, "garden-x", marksOf(makeCluster()));
  expect(map).toMatchInlineSnapshot(`
    {
      "data": {
        "config.yaml": "apiVersion: apiserver.config.k8s.io/v1beta1
    kind: AuthenticationConfiguration
    jwt:
      - issuer:
          url: https://issuer.example.com
          audiences:
            - kyma
        claimMappings:
          username:
            claim: sub
            prefix: "oidc:"
          groups:
            claim: groups
            prefix: ""
        userValidationRules:
          - expression: "!user.username.startsWith('system:')"
            message: "user names that begin with system: are reserved for Kubernetes"
          - expression: user.groups.all(group, !group.startsWith('system:'))
            message: "groups that begin with system: are reserved for Kubernetes"
    ",
      },
      "metadata": {
        "annotations": {
          "operator.kyma-project.io/cluster-name": "red",
          "operator.kyma-project.io/cluster-namespace": "clusters",
          "operator.kyma-project.io/cluster-uid": "11111111-2222-3333-4444-555555555555",
        },
        "labels": {
          "app.kubernetes.io/managed-by": "berg-clusters",
          "operator.kyma-project.io/cluster-uid": "11111111-2222-3333-4444-555555555555",
        },
        "name": "red-authentication",
        "namespace": "garden-x",
      },
    }
  `);
});

test.each<[Partial<ClusterOidcConfig>, string]>([
  [{}, "https://issuer.example.com#<sub>"],
  [{ usernamePrefix: "" }, "https://issuer.example.com#<sub>"],
  [{ usernamePrefix: "-" }, "<sub>"],
  [{ usernamePrefix: "oidc:" }, "oidc:<sub>"],
  [{ usernameClaim: "email" }, "<email>"],
  [{ usernameClaim: "email", usernamePrefix: "oidc:" }, "oidc:<email>"],
])("with %j, users are called %s", (given, want) => {
  expect(userNamePattern({ ...oidc, ...given })).toBe(want);
});

test.each([
  [undefined, ""],
  ["-", ""],
  ["oidc:", "oidc:"],
])("with groupsPrefix %j, %j stands before groups", (groupsPrefix, prefix) => {
  const given = { ...oidc, groupsClaim: "groups", ...(groupsPrefix !== undefined && { groupsPrefix }) };
  const [jwt] = parse(authenticationOf(given, "red")?.text ?? "").jwt;
  expect(jwt.claimMappings.groups).toEqual({ claim: "groups", prefix });
});

test("changes its digest with what it says, and with nothing else", () => {
  const digest = authenticationOf(oidc, "red")?.digest;
  expect(authenticationOf({ ...oidc, signingAlgs: ["RS256"] }, "red")?.digest).toBe(digest);
  expect(authenticationOf({ ...oidc, clientID: "other" }, "red")?.digest).not.toBe(digest);
});

test.each([
  ["asdf", "is no address"],
  ["http://issuer.example.com", "does not begin with https://"],
  ["https://user:pass@issuer.example.com", "holds a user name or a password"],
  ["https://issuer.example.com?a=b", "has something behind its path (? or #)"],
])("%s %s", (issuerURL, problem) => {
  expect(issuerProblem({ ...oidc, issuerURL })).toBe(problem);
  expect(authenticationOf({ ...oidc, issuerURL }, "red")).toBeUndefined();
});
