import { ended, image, label, onEachEngine } from "@berg/test/engine";
import { expect, test, vi } from "vitest";
import { EngineError } from "./engine.ts";

onEachEngine((given) => {
  test("an engine says what it is", async () => {
    expect(await given.engine.info()).toMatchObject({
      name: given.name,
      version: expect.stringMatching(/^\d+\.\d+/),
      architecture: process.arch === "x64" ? "x86_64" : "aarch64",
      rootless: false,
      cpus: expect.any(Number),
      kernel: expect.stringMatching(/^\d/),
    });
    expect((await given.engine.info()).memoryBytes).toBeGreaterThan(1e8);
  });

  test("a container is made, runs with an address on its network, and ends with its exit code", async () => {
    const network = { name: "one", labels: { [label]: "yes" }, subnet: "10.89.201.0/24", gateway: "10.89.201.1" };
    await given.engine.createNetwork({ ...network, bridge: "berg-t-one" });
    const id = await given.run("read -t 30 x; exit 3", { OpenStdin: true, HostConfig: { NetworkMode: "one" } });
    const running = await given.engine.inspectContainer(id);
    expect(running).toMatchObject({
      id,
      name: expect.stringMatching(/^engine-test-/),
      imageId: (await given.engine.inspectImage(image))?.id,
      labels: { [label]: "yes" },
      addresses: { one: expect.stringMatching(/^10\.89\.201\.\d+$/) },
      state: { status: "running", exitCode: 0, oomKilled: false, startedAt: expect.any(String), finishedAt: undefined },
    });
    expect(running?.pid).toBeGreaterThan(0);
    await given.engine.killContainer(id, "SIGKILL");
    expect(await ended(given, id)).toMatchObject({ exitCode: 137, oomKilled: false, finishedAt: expect.any(String) });
    const quick = await given.run("exit 3");
    expect(await ended(given, quick)).toMatchObject({ exitCode: 3, error: "" });
    await given.engine.removeContainer(id);
    await given.engine.removeNetwork("one");
  });

  test("what a container wrote beside its volumes is known", async () => {
    const id = await given.run("dd if=/dev/zero of=/large bs=1024 count=3000; sleep 100");
    await vi.waitFor(async () => expect(await given.engine.containerSize(id)).toBeGreaterThanOrEqual(3_000_000), {
      timeout: 20_000,
      interval: 200,
    });
    expect(await given.engine.containerSize(id)).toBeLessThan(6_000_000);
    await given.engine.removeContainer(id);
    expect(await given.engine.containerSize(id)).toBeUndefined();
  });

  test("containers of a pod share an address, and the holder of it goes last", async () => {
    const holder = await given.run("sleep 100");
    const member = await given.run("hostname", { HostConfig: { NetworkMode: `container:${holder}` } });
    await ended(given, member);
    expect((await given.engine.inspectContainer(member))?.addresses).toEqual({});
    await given.engine.removeContainer(member);
    await given.engine.removeContainer(holder);
    expect(await given.engine.inspectContainer(holder)).toBeUndefined();
  });

  test("starting, stopping, killing and removing may be asked for again", async () => {
    const id = await given.run("trap 'exit 0' TERM; sleep 100 & wait");
    await given.engine.startContainer(id);
    await given.engine.stopContainer(id, 10);
    expect(await ended(given, id)).toMatchObject({ exitCode: 0 });
    await given.engine.stopContainer(id, 10);
    await given.engine.killContainer(id, "SIGTERM");
    await Promise.all([1, 2, 3].map(() => given.engine.removeContainer(id)));
    await given.engine.removeContainer(id);
    await given.engine.stopContainer(id, 1);
    await given.engine.killContainer(id, "SIGTERM");
    expect(await given.engine.inspectContainer(id)).toBeUndefined();
    await expect(given.engine.startContainer(id)).rejects.toThrow(/^cannot start container .*: .*[Nn]o such container/);
  });

  test("one that does not end by itself is killed after its grace period, or when it is removed", async () => {
    const stubborn = "trap '' TERM; sleep 100 & wait; sleep 100";
    const id = await given.run(stubborn);
    const began = performance.now();
    await given.engine.stopContainer(id, 1);
    expect(performance.now() - began).toBeGreaterThan(900);
    expect(await ended(given, id)).toMatchObject({ exitCode: 137 });
    const other = await given.run(stubborn);
    await given.engine.removeContainer(other);
    expect(await given.engine.inspectContainer(other)).toBeUndefined();
  });

  test("one that takes more memory than it may is seen to be killed for that", async () => {
    const hungry = "head -c 200m /dev/zero | tail | wc -c";
    const id = await given.run(`exec tail /dev/zero; ${hungry}`, {
      HostConfig: { NetworkMode: "none", Memory: 20 * 1024 * 1024, MemorySwap: 20 * 1024 * 1024 },
    });
    expect(await ended(given, id)).toMatchObject({ exitCode: 137, oomKilled: true });
  });

  test("a list has those with all of the labels, running or not", async () => {
    const one = await given.run("exit 0", { Labels: { [label]: "yes", which: "one" } });
    await ended(given, one);
    const two = await given.run("sleep 100", { Labels: { [label]: "yes", which: "two" } });
    const all = await given.engine.listContainers({ [label]: "yes" });
    expect(all.map(({ id }) => id).sort()).toEqual([one, two].sort());
    const [first] = await given.engine.listContainers({ [label]: "yes", which: "one" });
    expect(first).toMatchObject({ id: one, status: "exited", labels: { which: "one" } });
    expect(first?.name).toMatch(/^engine-test-/);
    expect(await given.engine.listContainers({ which: "three" })).toEqual([]);
  });

  test("what cannot be made is refused in the engine's words", async () => {
    const body = { Image: "berg.test/nothing:1", Labels: {}, HostConfig: { NetworkMode: "none" } };
    const refusal = await given.engine.createContainer("bad", body).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(EngineError);
    expect(refusal).toMatchObject({
      status: 404,
      message: expect.stringMatching(/^cannot create container bad: .*image/i),
    });
    const id = await given.run("sleep 100");
    const name = (await given.engine.inspectContainer(id))?.name ?? "";
    await expect(given.engine.createContainer(name, { ...body, Image: image })).rejects.toMatchObject({ status: 409 });
    const { id: wrong } = await given.engine.createContainer("wrong", {
      ...{ ...body, Image: image, Labels: { [label]: "yes" }, Cmd: ["/no/such/program"] },
    });
    await expect(given.engine.startContainer(wrong)).rejects.toThrow(/no such file or directory/);
  });

  test("twenty containers at once", { timeout: 120_000 }, async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, (_, index) => given.run(`exit ${index}`)));
    const codes = await Promise.all(ids.map((id) => ended(given, id).then(({ exitCode }) => exitCode)));
    expect(codes).toEqual(ids.map((_, index) => index));
    await Promise.all(ids.map((id) => given.engine.removeContainer(id)));
    expect(await given.engine.listContainers({ [label]: "yes" })).toEqual([]);
  });

  test("an image is known by what it runs; one that is not there is not", async () => {
    expect(await given.engine.inspectImage(image)).toMatchObject({
      id: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      command: ["sleep", "1000"],
      entrypoint: [],
      env: ["PATH=/bin"],
      user: "",
      workingDir: expect.stringMatching(/^\/?$/),
    });
    expect((await given.engine.inspectImage(image))?.sizeBytes).toBeGreaterThan(100_000);
    expect(await given.engine.inspectImage("berg.test/nothing:1")).toBeUndefined();
  });

  test("an archive that is none is refused", async () => {
    await expect(given.engine.loadImage(Buffer.alloc(5_000_000, "x"))).rejects.toThrow(/^cannot load an image: /);
  });
});
