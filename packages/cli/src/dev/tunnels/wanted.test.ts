import { describe, expect, test } from "vitest";
import { readTunnel } from "./wanted.ts";

describe("a tunnel that an author asks for", () => {
  test.each([
    ["db=localhost:5432", { name: "db", host: "localhost", port: 5432 }],
    ["db=5432", { name: "db", host: "localhost", port: 5432 }],
    ["my-bot=10.0.0.7:80", { name: "my-bot", host: "10.0.0.7", port: 80 }],
    ["db=[::1]:5432", { name: "db", host: "::1", port: 5432 }],
    ["a=checker.example.com:65535", { name: "a", host: "checker.example.com", port: 65535 }],
  ])("%s", (text, want) => expect(readTunnel(text)).toEqual([want]));

  test.each([
    ["db", "A tunnel is <name>=<host>:<port> or <name>=<port>, such as db=localhost:5432."],
    ["db=localhost", "A tunnel is <name>="],
    ["db=localhost:", "A tunnel is <name>="],
    ["db=:5432", "A tunnel is <name>="],
    ["db=::1:5432", "A tunnel is <name>="],
    ["db=localhost:http", "A tunnel is <name>="],
    ["=5432", "The name of a tunnel has lower-case letters"],
    ["DB=5432", "The name of a tunnel has lower-case letters"],
    ["5db=5432", "starts with a letter"],
    [`${"d".repeat(64)}=5432`, "The name of a tunnel"],
    ["db=0", "The port of a server is 1 to 65535."],
    ["db=65536", "The port of a server is 1 to 65535."],
  ])("%s is refused", (text, why) => expect(() => readTunnel(text)).toThrow(why));

  test("several are kept in their order, and a name is used once", () => {
    const two = readTunnel("web=80", readTunnel("db=5432"));
    expect(two.map(({ name }) => name)).toEqual(["db", "web"]);
    expect(() => readTunnel("db=5433", two)).toThrow("There are two tunnels called db");
  });
});
