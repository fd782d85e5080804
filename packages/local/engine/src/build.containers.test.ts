import { image, onEachEngine } from "@berg/test/engine";
import { expect, test } from "vitest";
import { type TarEntry, tar } from "./tar.ts";

onEachEngine((given) => {
  const file = (path: string, text: string): TarEntry => ({
    kind: "file",
    path,
    mode: 0o644,
    bytes: Buffer.from(text),
  });
  const build = async (name: string, dockerfile: string, ...files: TarEntry[]) => {
    const said: string[] = [];
    await given.engine.buildImage(name, {
      context: tar([file("build/Containerfile", dockerfile), ...files]),
      dockerfile: "build/Containerfile",
      onProgress: (line) => said.push(line),
    });
    return said;
  };

  test("an image is built from a Dockerfile and the files around it, line by line", async () => {
    const name = "berg.test/built:1";
    const dockerfile = `FROM ${image}\nCOPY hello.txt /hello.txt\nCMD ["cat", "/hello.txt"]\n`;
    const said = await build(name, dockerfile, file("hello.txt", "hi"));
    expect(said.join("\n")).toMatch(/step 1\/3 ?: FROM berg.test\/engine:1/i);
    expect(said.filter((line) => line.includes("\n") || !line.trim())).toEqual([]);
    expect(await given.engine.inspectImage(name)).toMatchObject({ command: ["cat", "/hello.txt"] });
    const before = await given.engine.inspectImage(name);
    await build(name, dockerfile, file("hello.txt", "changed"));
    expect((await given.engine.inspectImage(name))?.id).not.toBe(before?.id);
  });

  test("what a command wrote while it was built is in it, and what it said is told", async () => {
    const name = "berg.test/run:1";
    const said = await build(name, `FROM ${image}\nRUN echo made here && echo made > /made\nCMD ["cat", "/made"]\n`);
    expect(said.join("\n")).toContain("made here");
    expect(await given.engine.inspectImage(name)).toMatchObject({ command: ["cat", "/made"] });
  });

  test.each([
    { what: "a command that does not exist", line: "FRY eggs", want: /FRY/i },
    { what: "a file that is not there", line: "COPY nothing.txt /", want: /nothing\.txt/ },
  ])("$what is said in the engine's words, and there is no image", async ({ line, want }) => {
    const failure = await build("berg.test/unbuilt:1", `FROM ${image}\n${line}\n`).catch((error) => error);
    expect(failure.message).toMatch(/^cannot build image berg\.test\/unbuilt:1: /);
    expect(failure.message).toMatch(want);
    expect(await given.engine.inspectImage("berg.test/unbuilt:1")).toBeUndefined();
  });
});
