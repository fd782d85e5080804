import { createPrivateKey } from "node:crypto";
import { expect, test } from "vitest";
import { newServiceAccountKey, tokenFile, userWithNewToken } from "./credentials.ts";

test.each([
  { user: { name: "alice", token: "t1", groups: [] }, want: '"t1","alice","alice",""\n' },
  { user: { name: "bob", token: "t2", groups: ["players", "admins"] }, want: '"t2","bob","bob","players,admins"\n' },
  {
    user: { name: 'the "one", two', token: "t3", groups: [] },
    want: '"t3","the ""one"", two","the ""one"", two",""\n',
  },
])("$user.name stands in the token file as $want", ({ user, want }) => {
  expect(tokenFile([user])).toBe(want);
});

test("no two users get the same token", () => {
  expect(userWithNewToken("a").token).not.toBe(userWithNewToken("a").token);
});

test("the service-account key is an elliptic one, in the form that Kubernetes reads a public key from", () => {
  const pem = newServiceAccountKey();
  expect(pem).toMatch(/^-----BEGIN EC PRIVATE KEY-----/);
  expect(createPrivateKey(pem).asymmetricKeyDetails?.namedCurve).toBe("prime256v1");
});
