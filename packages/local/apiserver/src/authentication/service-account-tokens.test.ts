import { generateKeyPairSync } from "node:crypto";
import type { KubeObject } from "@berg/apimachinery";
import { FakeClock } from "@berg/kube/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { openStore } from "../storage/open-store.ts";
import type { Store } from "../storage/table.ts";
import { Authenticator } from "./authenticate.ts";
import { ServiceAccountTokens } from "./service-account-tokens.ts";

const newKey = () =>
  generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" }) as string;
const key = newKey();

describe("a service account's token", () => {
  let store: Store;
  let clock: FakeClock;
  let tokens: ServiceAccountTokens;

  const account = { namespace: "ctf", name: "player", uid: "u1" };
  const put = (table: string, metadata: object) => store.table(table).put({ metadata } as KubeObject);
  const issue = (more: object = {}) =>
    tokens.issue({ ...account, audiences: ["https://kubernetes.default.svc.cluster.local"], seconds: 600, ...more })
      .token;

  beforeEach(async () => {
    clock = new FakeClock();
    store = await openStore({ file: ":memory:", clock });
    tokens = new ServiceAccountTokens(key, store, clock);
    await put("serviceaccounts", account);
  });

  test("says who it is", () => {
    expect(tokens.verify(issue())).toMatchObject({
      name: "system:serviceaccount:ctf:player",
      uid: "u1",
      groups: ["system:serviceaccounts", "system:serviceaccounts:ctf", "system:authenticated"],
    });
  });

  test("is worth nothing after its time, or for another audience", async () => {
    const token = issue();
    await clock.advance(599_000);
    expect(tokens.verify(token)).toBeDefined();
    expect(tokens.verify(token, "vault")).toBeUndefined();
    await clock.advance(1000);
    expect(tokens.verify(token)).toBeUndefined();
    expect(tokens.verify(issue({ audiences: ["vault"] }))).toBeUndefined();
  });

  test("is worth nothing once its account is gone, or was made anew", async () => {
    const token = issue();
    await put("serviceaccounts", { ...account, uid: "u2" });
    expect(tokens.verify(token)).toBeUndefined();
    await put("serviceaccounts", account);
    const bound = issue({ bound: { kind: "Pod", name: "web", uid: "p1" } });
    expect(tokens.verify(bound)).toBeUndefined();
    await put("pods", { namespace: "ctf", name: "web", uid: "p1" });
    expect(tokens.verify(bound)?.extra).toMatchObject({ "authentication.kubernetes.io/pod-name": ["web"] });
    await put("pods", { namespace: "ctf", name: "web", uid: "p2" });
    expect(tokens.verify(bound)).toBeUndefined();
  });

  test.each([
    { what: "changed", spoil: (token: string) => token.replace(/\.(.{10})/, ".AAAAAAAAAA") },
    { what: "without a signature", spoil: (token: string) => token.replace(/[^.]*$/, "") },
    { what: "of no algorithm", spoil: (token: string) => token.replace(/^[^.]*/, base64({ alg: "none" })) },
    { what: "with something behind it", spoil: (token: string) => `${token}.x` },
    { what: "that is no token at all", spoil: () => "…" },
    { what: "that is empty", spoil: () => "" },
  ])("one $what is nobody's", ({ spoil }) => {
    expect(tokens.verify(spoil(issue()))).toBeUndefined();
  });

  test("one of another key is nobody's", () => {
    const other = new ServiceAccountTokens(newKey(), store, clock);
    expect(other.verify(issue())).toBeUndefined();
  });

  test("stands in the Authorization header, as others do", () => {
    const admin = { name: "admin", groups: ["system:masters"] };
    const authenticator = new Authenticator([{ token: "s3cret", user: admin }], tokens);
    const by = (authorization?: string) => authenticator.authenticate({ authorization, certificate: undefined })?.name;
    expect(by("Bearer s3cret")).toBe("admin");
    expect(by("bearer   s3cret ")).toBe("admin");
    expect(by(`Bearer ${issue()}`)).toBe("system:serviceaccount:ctf:player");
    for (const wrong of [undefined, "", "s3cret", "Basic s3cret", "Bearer s3cre", "Bearer s3cret x", "Bearer"])
      expect(by(wrong)).toBeUndefined();
  });
});

function base64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
