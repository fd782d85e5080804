import { expect, test } from "vitest";
import { newIdentity, podIdentity } from "./identity.ts";

const podUid = "0b6b1e2c-7a0f-4a5e-9b57-2f6c2a3f9c11";

test("a new identity has the name of this machine, and is never the same", () => {
  expect(newIdentity()).toMatch(/^.+_[0-9a-f-]{36}$/);
  expect(newIdentity()).not.toBe(newIdentity());
});

test("a restarted container has the identity of its predecessor", () => {
  expect(podIdentity({ podUid, healthPort: 8081 })).toMatch(new RegExp(`^.+_${podUid}_8081$`));
  expect(podIdentity({ podUid: ` ${podUid}\n`, healthPort: 8081 })).toBe(podIdentity({ podUid, healthPort: 8081 }));
});

test("other pods and other processes of the same pod have other identities", () => {
  const own = podIdentity({ podUid, healthPort: 8081 });
  expect(podIdentity({ podUid, healthPort: 8082 })).not.toBe(own);
  expect(podIdentity({ podUid: podUid.replace("0", "1"), healthPort: 8081 })).not.toBe(own);
});

test.each([
  { what: "outside of a pod", podUid: undefined, healthPort: 8081 },
  { what: "with an empty UID", podUid: " ", healthPort: 8081 },
  { what: "on any free port, which two processes can have at once", podUid, healthPort: 0 },
])("there is none $what", (options) => {
  expect(podIdentity(options)).toBeUndefined();
});
