import { expect, test } from "vitest";
import { Guests } from "./guests.ts";

const subnet = "10.202.0.0/16";
const guest = (id: string, address: string, namespace = "alice") => ({ id, address, namespace });

test("a guest is known from when it joined until it left, and says where it was", () => {
  const guests = new Guests();
  guests.joined(guest("1", "10.202.1.9"), subnet);
  guests.joined(guest("2", "10.202.2.9", "bob"), subnet);
  expect(guests.areIn("alice")).toBe(true);
  expect(guests.left("1")).toBe("alice");
  expect(guests.left("1")).toBeUndefined();
  expect(guests.areIn("alice")).toBe(false);
  expect(guests.list()).toEqual([guest("2", "10.202.2.9", "bob")]);
});

test("one that is told again is there once, at its last address", () => {
  const guests = new Guests();
  guests.joined(guest("1", "10.202.1.9"), subnet);
  guests.joined(guest("1", "10.202.1.8"), subnet);
  expect(guests.list()).toEqual([guest("1", "10.202.1.8")]);
});

test("the last one of an address has it, guest or not", () => {
  const guests = new Guests();
  guests.joined(guest("1", "10.202.1.9"), subnet);
  guests.joined(guest("2", "10.202.1.9"), subnet);
  expect(guests.list()).toEqual([guest("2", "10.202.1.9")]);
  guests.addressTaken("10.202.1.9");
  expect(guests.list()).toEqual([]);
});

test("guests go with the network of their namespace", () => {
  const guests = new Guests();
  guests.joined(guest("1", "10.202.1.9"), subnet);
  guests.joined(guest("2", "10.202.2.9", "bob"), subnet);
  guests.keepIn(new Set(["bob", "carol"]));
  expect(guests.list()).toEqual([guest("2", "10.202.2.9", "bob")]);
});

test.each(["", "fd00::1", "10.202.1.9 }; drop", "10.202.1.0/24"])("%j is no address of a guest", (address) => {
  const guests = new Guests();
  expect(() => guests.joined(guest("1", address), subnet)).toThrow(
    /^the container 1 cannot be a guest of .* is no IPv4 address$/,
  );
  expect(guests.list()).toEqual([]);
});

test.each([undefined, "10.202.2.0/24", "fd00::/64"])("one that is not in the subnet %s is no guest there", (other) => {
  const guests = new Guests();
  guests.joined(guest("1", "10.202.1.9"), subnet);
  expect(guests.joined(guest("2", "10.202.1.9"), other)).toBe(false);
  expect(guests.list()).toEqual([guest("1", "10.202.1.9")]);
});
