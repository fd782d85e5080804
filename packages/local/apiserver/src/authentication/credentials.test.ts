import { X509Certificate } from "node:crypto";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock } from "@berg/kube/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { loadCredentials } from "./credentials.ts";

const day = 24 * 3_600_000;
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "berg-credentials-"));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

test("are the same after a restart, and nobody else may read them", async () => {
  const clock = new FakeClock();
  const made = await loadCredentials(directory, [], clock);
  expect(await loadCredentials(directory, [], clock)).toEqual(made);
  for (const file of await readdir(directory)) {
    expect([file, (await stat(join(directory, file))).mode & 0o777]).toEqual([file, 0o600]);
  }
  expect(await loadCredentials(undefined, [], clock)).not.toEqual(made);
});

test("the server's certificate is made anew for another name, or near its end; the CA stays", async () => {
  const clock = new FakeClock();
  const { ca, server } = await loadCredentials(directory, [], clock);
  expect(new X509Certificate(server.certificate).checkHost("berg.example")).toBeUndefined();
  const named = await loadCredentials(directory, ["berg.example"], clock);
  expect(new X509Certificate(named.server.certificate).checkHost("berg.example")).toBe("berg.example");
  expect(named.ca).toEqual(ca);
  await clock.advance(274 * day);
  expect(await loadCredentials(directory, ["berg.example"], clock)).toEqual(named);
  await clock.advance(2 * day);
  const later = await loadCredentials(directory, ["berg.example"], clock);
  expect(later.server).not.toEqual(named.server);
  expect(later.ca).toEqual(ca);
});

test("one that cannot be read keeps the server from starting, rather than being made anew", async () => {
  await writeFile(join(directory, "server.pem"), "rubbish");
  await expect(loadCredentials(directory, [], new FakeClock())).rejects.toThrow();
});
