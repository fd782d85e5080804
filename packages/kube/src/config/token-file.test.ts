import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FakeClock } from "../testing/fake-clock.ts";
import { makeFiles } from "../testing/files.ts";
import { TokenFile } from "./token-file.ts";

async function setup(token = "old\n") {
  const path = join(await makeFiles({ token }), "token");
  const clock = new FakeClock();
  return { path, clock, file: new TokenFile(path, "the pod's token", clock) };
}

describe("a token file", () => {
  test("is read again after a minute", async () => {
    const { path, clock, file } = await setup();
    expect(await file.authorization()).toBe("Bearer old");
    await writeFile(path, "new");
    await clock.advance(59_999);
    expect(await file.authorization()).toBe("Bearer old");
    await clock.advance(1);
    expect(await file.authorization()).toBe("Bearer new");
  });

  test("is read again at once when the server refused its token", async () => {
    const { path, file } = await setup();
    const sent = await file.authorization();
    await writeFile(path, "new");
    file.refused(sent);
    expect(await file.authorization()).toBe("Bearer new");
  });

  test("keeps its new token when the refusal is of the old one", async () => {
    const { path, file } = await setup();
    const sent = await file.authorization();
    await writeFile(path, "new");
    file.refused(sent);
    await file.authorization();
    await writeFile(path, "newer");
    file.refused(sent);
    expect(await file.authorization()).toBe("Bearer new");
    file.refused();
    expect(await file.authorization()).toBe("Bearer newer");
  });

  test("goes on with the token that it has while it cannot be read, until the server refuses that", async () => {
    const { path, clock, file } = await setup();
    await file.authorization();
    await rm(path);
    await clock.advance(60_000);
    expect(await file.authorization()).toBe("Bearer old");
    file.refused("Bearer old");
    await expect(file.authorization()).rejects.toThrow(`cannot read ${path} (the pod's token): there is no such file`);
  });

  test.each([
    { token: " \n", want: "is empty" },
    { token: "s3cret\ns3cret", want: "holds more than a token" },
  ])("that $want is an error", async ({ token, want }) => {
    const { path, file } = await setup(token);
    const error = await file.authorization().catch((error: Error) => error);
    expect(error).toHaveProperty("message", `${path} (the pod's token) ${want}`);
  });

  test("is not read for a caller that has given up", async () => {
    const { file } = await setup();
    await expect(file.authorization(AbortSignal.abort("enough"))).rejects.toBe("enough");
  });
});
