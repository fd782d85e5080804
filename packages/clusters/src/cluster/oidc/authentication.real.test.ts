/**
 * Who a token makes its bearer, as a real kube-apiserver decides it by our AuthenticationConfiguration. The issuer is a stand-in
 * on loopback (testing/issuer.ts). Each case is an issuer of its own, so that one API server answers for all of them.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineResource, isUnauthorized, type KubeObject } from "@berg/apimachinery";
import { createClient, unlimited } from "@berg/kube";
import type { ClusterOidcConfig } from "@berg/resources";
import { missingControlPlane } from "@berg/test";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { type ControlPlane, startControlPlane } from "../../../../../test/control-plane/control-plane.ts";
import { eventually } from "../../../../../test/runtime/eventually.ts";
import { authenticationOf } from "./authentication.ts";
import { type Issuer, startIssuer } from "./testing/issuer.ts";

interface SelfSubjectReview extends KubeObject {
  status?: { userInfo: { username: string; groups?: string[] } };
}

const SelfSubjectReviews = defineResource<SelfSubjectReview>({
  group: "authentication.k8s.io",
  version: "v1",
  resource: "selfsubjectreviews",
  kind: "SelfSubjectReview",
  namespaced: false,
});

type Mapping = Partial<Omit<ClusterOidcConfig, "issuerURL" | "clientID">>;

const mappings = {
  "/plain": { groupsClaim: "groups" },
  "/empty": { usernamePrefix: "" },
  "/none": { usernamePrefix: "-", groupsClaim: "groups" },
  "/named": { usernamePrefix: "oidc:", groupsClaim: "groups", groupsPrefix: "oidc:" },
  "/none-for-groups": { usernamePrefix: "oidc:", groupsClaim: "groups", groupsPrefix: "-" },
  "/email": { usernameClaim: "email" },
} as const satisfies Record<string, Mapping>;

type Path = keyof typeof mappings;

describe.skipIf(await missingControlPlane())("sign-in with OpenID Connect, on a real API server", () => {
  const undo = new AsyncDisposableStack();
  let issuer: Issuer;
  let controlPlane: ControlPlane;

  beforeAll(async () => {
    issuer = undo.use(await startIssuer());
    const directory = undo.adopt(await mkdtemp(join(tmpdir(), "berg-oidc-")), (path) => rm(path, { recursive: true }));
    const file = join(directory, "authentication.yaml");
    await writeFile(file, configurationOfAll());
    controlPlane = undo.use(
      await startControlPlane({
        controllerManager: false,
        scheduler: false,
        apiServerFlags: [`--authentication-config=${file}`],
      }),
    );
    // The API server fetches the keys of each issuer in the background.
    for (const path of Object.keys(mappings) as Path[]) {
      const claims = { sub: "first", email: "first@example.com" };
      const isKnown = async () => (await signIn(path, claims)) !== "refused";
      await eventually(`the API server knows the issuer ${path}`, isKnown, 60_000);
    }
  });
  afterAll(() => undo.disposeAsync());

  /** Our configuration of each issuer, with the authority of the test's issuer, which no operating system knows. */
  function configurationOfAll(): string {
    const all = Object.entries<Mapping>(mappings).map(([path, mapping]) => {
      const oidc = { issuerURL: issuer.url(path), clientID: "berg", usernameClaim: "sub", ...mapping };
      return parse(authenticationOf(oidc, "shoot")?.text ?? "");
    });
    const jwt = all.flatMap((each) => each.jwt);
    for (const each of jwt) each.issuer.certificateAuthority = issuer.ca;
    return stringify({ ...all[0], jwt });
  }

  /** `alice [a, b]`: the user and the groups that the API server takes the bearer for, without those that everyone has. */
  async function signIn(path: Path, claims: Record<string, unknown>): Promise<string> {
    const token = issuer.token(path, { aud: "berg", ...claims });
    const client = createClient({ connection: controlPlane.connectWith(token), rate: unlimited });
    try {
      const { status } = await client.create(SelfSubjectReviews, { metadata: { name: "" } });
      const { username = "", groups = [] } = status?.userInfo ?? {};
      const own = groups.filter((group) => group !== "system:authenticated");
      return own.length === 0 ? username : `${username} [${own.join(", ")}]`;
    } catch (error) {
      if (isUnauthorized(error)) return "refused";
      throw error;
    } finally {
      await client.close();
    }
  }

  test("without a usernamePrefix, names begin with the issuer, as they do with the flags of the API server", async () => {
    expect(await signIn("/plain", { sub: "alice" })).toBe(`${issuer.url("/plain")}#alice`);
    expect(await signIn("/empty", { sub: "alice" })).toBe(`${issuer.url("/empty")}#alice`);
  });

  test("e-mail addresses get no prefix by default, and must be verified", async () => {
    expect(await signIn("/email", { sub: "1", email: "alice@example.com" })).toBe("alice@example.com");
    expect(await signIn("/email", { sub: "1", email: "alice@example.com", email_verified: false })).toBe("refused");
  });

  test("the prefix - is none", async () => {
    expect(await signIn("/none", { sub: "alice", groups: ["authors"] })).toBe("alice [authors]");
    expect(await signIn("/none-for-groups", { sub: "alice", groups: ["authors"] })).toBe("oidc:alice [authors]");
  });

  test("prefixes stand before users and groups", async () => {
    expect(await signIn("/named", { sub: "alice", groups: ["authors", "players"] })).toBe(
      "oidc:alice [oidc:authors, oidc:players]",
    );
  });

  test.each<[Path, Record<string, unknown>]>([
    ["/none", { sub: "system:admin" }],
    ["/none", { sub: "system:serviceaccount:kube-system:default" }],
    ["/none", { sub: "mallory", groups: ["system:masters"] }],
    ["/none", { sub: "mallory", groups: ["authors", "system:masters"] }],
    ["/none", { sub: "mallory", groups: "system:masters" }],
    ["/plain", { sub: "mallory", groups: ["system:masters"] }],
    ["/none-for-groups", { sub: "mallory", groups: ["system:nodes"] }],
    ["/email", { sub: "1", email: "system:admin" }],
  ])("%s refuses Kubernetes' own users and groups: %j", async (path, claims) => {
    expect(await signIn(path, claims)).toBe("refused");
  });

  test("with a prefix such a name matches no user of the system", async () => {
    expect(await signIn("/named", { sub: "system:admin", groups: ["system:masters"] })).toBe(
      "oidc:system:admin [oidc:system:masters]",
    );
  });
});
