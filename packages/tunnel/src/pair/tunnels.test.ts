import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { type PrepareTunnelRequest, PrepareTunnelRequestSchema } from "../protocol/tunnel_pb.ts";
import { type Listening, Tunnels } from "./tunnels.ts";

const request = (tunnelId: number, serverPort = 80) =>
  create(PrepareTunnelRequestSchema, { tunnelId, name: `t${tunnelId}`, serverPort });

/** Each opening is answered by the test. */
function make({ areIdsFinal = true } = {}) {
  const opening: { request: PrepareTunnelRequest; resolve(where: Listening): void; reject(error: Error): void }[] = [];
  const closed: number[] = [];
  const streams = new Map<number, number>();
  const tunnels = new Tunnels({
    open(request) {
      const { promise, resolve, reject } = Promise.withResolvers<Listening>();
      opening.push({ request, resolve, reject });
      return promise;
    },
    async close({ tunnelId }) {
      closed.push(tunnelId);
    },
    openStreams: () => (id) => streams.get(id) ?? 0,
    areIdsFinal,
  });
  const ids = () => tunnels.list().map(({ tunnelId, isEnding }) => `${tunnelId}${isEnding ? " ending" : ""}`);
  return { tunnels, opening, closed, streams, ids };
}

const where = { addresses: ["10.0.0.2"], port: 4000 };

describe("tunnels", () => {
  test("are opened once for the same request, however often it comes", async () => {
    const { tunnels, opening } = make();
    const answers = [tunnels.prepare(request(1)), tunnels.prepare(request(1))];
    opening[0]?.resolve(where);
    const [first, second] = await Promise.all(answers);
    expect(second).toEqual(first);
    expect(await tunnels.prepare(request(1))).toEqual(first);
    expect(first).toMatchObject({ tunnelId: 1, clientProxyAddresses: ["10.0.0.2"], clientProxyPort: 4000 });
    expect(opening).toHaveLength(1);
  });

  test("are not listed or restored before they listen", async () => {
    const { tunnels, opening, ids } = make();
    const answer = tunnels.prepare(request(1));
    expect([ids(), tunnels.requests()]).toEqual([[], []]);
    opening[0]?.resolve(where);
    await answer;
    expect(ids()).toEqual(["1"]);
    expect(tunnels.requests()).toMatchObject([{ tunnelId: 1, serverAddress: "localhost" }]);
  });

  test("may be asked for again, in another way too, where they could not be opened", async () => {
    const { tunnels, opening } = make();
    const failing = [tunnels.prepare(request(1)), tunnels.prepare(request(1))];
    opening[0]?.reject(new Error("port in use"));
    for (const answer of failing) await expect(answer).rejects.toThrow("port in use");
    const again = tunnels.prepare(request(1, 81));
    opening[1]?.resolve(where);
    expect(await again).toMatchObject({ serverPort: 81 });
  });

  test("refuse another request under an id that is being opened", async () => {
    const { tunnels, opening } = make();
    const first = tunnels.prepare(request(1));
    await expect(tunnels.prepare(request(1, 81))).rejects.toThrow('"t1" to localhost:80');
    opening[0]?.resolve(where);
    await first;
  });

  test("that are deleted while they are opened are closed once they are open", async () => {
    const { tunnels, opening, closed, ids } = make();
    const answer = tunnels.prepare(request(1));
    const deletion = tunnels.delete(1);
    await expect(tunnels.prepare(request(1))).rejects.toThrow("was deleted");
    expect(closed).toEqual([]);
    opening[0]?.resolve(where);
    await Promise.all([answer, deletion]);
    expect([closed, ids()]).toEqual([[1], []]);
  });

  test("that are deleted are listed as long as they have streams, and are not restored", async () => {
    const { tunnels, opening, streams, ids } = make();
    const answer = tunnels.prepare(request(1));
    opening[0]?.resolve(where);
    await answer;
    streams.set(1, 2);
    await tunnels.delete(1);
    expect([ids(), tunnels.requests()]).toEqual([["1 ending"], []]);
    expect(tunnels.list()[0]).toMatchObject({ openStreams: 2 });
    streams.clear();
    expect(ids()).toEqual([]);
  });

  test.each([true, false])("take a deleted id again unless ids are final: %s", async (areIdsFinal) => {
    const { tunnels, opening } = make({ areIdsFinal });
    for (const round of [0, 1]) {
      const answer = tunnels.prepare(request(1, 80 + round));
      opening[round]?.resolve(where);
      if (round === 1 && areIdsFinal) await expect(answer).rejects.toThrow("tunnel id 1 was deleted");
      else expect(await answer).toMatchObject({ serverPort: 80 + round });
      await tunnels.delete(1);
    }
  });

  test("that are not there are deleted already, and their ids may still be used", async () => {
    const { tunnels, opening, closed } = make();
    await tunnels.delete(1);
    expect(closed).toEqual([]);
    const answer = tunnels.prepare(request(1));
    opening[0]?.resolve(where);
    await expect(answer).resolves.toMatchObject({ tunnelId: 1 });
  });
});
