import { onEachEngine, until } from "@berg/test/engine";
import { expect, test } from "vitest";
import { EngineError, type LogChunk } from "./engine.ts";

async function drain(chunks: AsyncIterable<LogChunk>, onFirst: () => void): Promise<void> {
  for await (const _ of chunks) onFirst();
}

onEachEngine((given) => {
  test("an engine that is killed breaks what is open, and is found again once it is back", async () => {
    const { engine, real } = given;
    const id = await given.run("while :; do echo tick; sleep 0.05; done");
    const heard = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    const log = drain(engine.containerLogs(id, { follow: true, timestamps: false }), heard[0].resolve);
    const command = ["sh", "-c", "while :; do echo tick; sleep 0.05; done"];
    const session = await engine.exec(id, { command, stdin: true, stdout: true, stderr: true, tty: false });
    const output = drain(session.output, heard[1].resolve);
    const events = (async () => {
      for await (const _ of engine.events({}, new AbortController().signal));
    })();
    const outcomes = Promise.allSettled([log, output, events]);
    await Promise.all(heard.map(({ promise }) => promise));

    await real.service.kill();
    const refusal = await engine.info().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(EngineError);
    expect(refusal).toMatchObject({ status: 0 });
    const words = `cannot ask the container engine what it is: no container engine answers at ${real.socket} (ECONNREFUSED)`;
    await until(() => engine.info().then(undefined, ({ message }) => message === words));
    const [logEnd, , eventsEnd] = await outcomes;
    for (const end of [logEnd, eventsEnd]) {
      expect(end?.status).toBe("rejected");
      if (end?.status === "rejected") expect(end.reason).toBeInstanceOf(EngineError);
    }
    await expect(session.exitCode()).rejects.toBeInstanceOf(EngineError);
    await expect(until(async () => session.write(Buffer.from("x")).then(() => false))).rejects.toThrow(/no more input/);

    await real.service.start();
    expect((await engine.info()).name).toBe(given.name);
    expect(await engine.inspectContainer(id)).toMatchObject({ id });
  });
});
