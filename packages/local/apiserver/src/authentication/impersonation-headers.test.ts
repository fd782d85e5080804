import { expect, test } from "vitest";
import { wantedUser } from "./impersonation-headers.ts";

test("nobody else is meant where no header says so", () => {
  expect(wantedUser({ accept: ["*/*"], "impersonate-user": [""], "impersonate-shoe": ["42"] })).toBeUndefined();
});

test("a user, with all that is said of them", () => {
  const headers = {
    "impersonate-user": ["ada", "bob"],
    "impersonate-uid": ["1"],
    "impersonate-group": ["crew, the", "guests"],
    "impersonate-extra-acme.com%2fproject": ["a"],
    "impersonate-extra-acme.com/project": ["b"],
    "impersonate-extra-%zz": ["c"],
  };
  expect(wantedUser(headers)).toEqual({
    name: "ada",
    uid: "1",
    groups: ["crew, the", "guests"],
    extra: { "acme.com/project": ["a", "b"], "%zz": ["c"] },
  });
  expect(wantedUser({ "impersonate-user": ["ada"] })).toEqual({ name: "ada", groups: [] });
  const bytes = Buffer.from("Zoë").toString("latin1");
  expect(wantedUser({ "impersonate-user": [bytes] })).toEqual({ name: "Zoë", groups: [] });
});

test.each([
  [{ "impersonate-uid": ["1"] }, 'UID:"1", Groups:[]string(nil), Extra:map[string][]string(nil)'],
  [{ "impersonate-group": ["a", "b"] }, 'UID:"", Groups:[]string{"a", "b"}, Extra:map[string][]string(nil)'],
  [
    { "impersonate-extra-z": ["1"], "impersonate-extra-a": ["2", "3"] },
    'UID:"", Groups:[]string(nil), Extra:map[string][]string{"a":[]string{"2", "3"}, "z":[]string{"1"}}',
  ],
])("%j without a user is refused", (headers, shown) => {
  expect(() => wantedUser(headers)).toThrow(
    `requested &user.DefaultInfo{Name:"", ${shown}} without impersonating a user name`,
  );
});
