import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { findPort } from "./ports.ts";

const wanted = { host: "127.0.0.1", flag: "--http-port", purpose: "challenges", lately: undefined };

async function taken(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

test("a port that was asked for is that one, whatever it was the last time", async () => {
  const port = await findPort({ ...wanted, port: 0 });
  expect(await findPort({ ...wanted, port, lately: await taken() })).toBe(port);
});

test("where any will do, it is the one of the last time", async () => {
  const lately = await findPort({ ...wanted, port: 0 });
  for (let i = 0; i < 3; i++) expect(await findPort({ ...wanted, port: 0, lately })).toBe(lately);
});

test("where somebody else has that by now, it is another", async () => {
  const lately = await taken();
  const port = await findPort({ ...wanted, port: 0, lately });
  expect([port > 0, port === lately]).toEqual([true, false]);
});

test("one that is taken is told with the remedy", async () => {
  const port = await taken();
  await expect(findPort({ ...wanted, port })).rejects.toThrow(
    `cannot listen on 127.0.0.1:${port} for challenges: another process does (EADDRINUSE); choose another with --http-port`,
  );
});
