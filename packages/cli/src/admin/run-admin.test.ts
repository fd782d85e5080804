import { afterEach, describe, expect, test, vi } from "vitest";
import { runLink } from "./run-admin.ts";

afterEach(() => vi.unstubAllEnvs());

const link = (options: { dataDir?: string } = {}) => runLink(undefined, { role: [], ...options });

describe("with DATABASE_URL", () => {
  test.each([
    ["the path of a file", "api.db", "https://a.example", "cannot read DATABASE_URL: it is not a postgres:// URL"],
    ["another kind of database", "mysql://a:s3cret@b/c", "https://a.example", 'a database of the kind "mysql"'],
    ["no PUBLIC_URL", "postgres://a:s3cret@127.0.0.1:1/c", "", "cannot read PUBLIC_URL: it is not set"],
    ["a PUBLIC_URL with a path", "postgres://a:s3cret@127.0.0.1:1/c", "https://a.example/ctf", "has no path"],
    ["a server that is away", "postgres://a:s3cret@127.0.0.1:1/c", "https://a.example", "127.0.0.1:1"],
  ])("%s is refused, and no password is shown", async (_, database, publicUrl, want) => {
    vi.stubEnv("DATABASE_URL", database);
    vi.stubEnv("PUBLIC_URL", publicUrl);
    const { message } = await link().then(
      () => new Error("it was accepted"),
      (error: Error) => error,
    );
    expect(message).toContain(want);
    expect(message).not.toContain("s3cret");
  });

  test("--data-dir is used if it is given", async () => {
    vi.stubEnv("DATABASE_URL", "postgres://a:s3cret@127.0.0.1:1/c");
    await expect(link({ dataDir: "/nowhere" })).rejects.toThrow("there is no data directory /nowhere");
  });
});
