import { writeFile } from "node:fs/promises";
import { ConfigurationError, runProcess } from "@berg/kube";
import { type Engine, findEngine } from "@berg/local-engine";
import { imageArchive } from "@berg/local-node";
import { tellingOfTheEnd } from "../log.ts";
import { sampleImageNames, sampleImages, sampleMarks } from "./samples.ts";

export async function buildSamples(options: { runtime: "auto" | "docker" | "podman"; output?: string }): Promise<void> {
  await runProcess(tellingOfTheEnd(process.stderr), async (stop) => {
    if (options.output !== undefined) {
      await writeFile(options.output, imageArchive(...(await sampleImages())));
      process.stdout.write(`${sampleImageNames().join("\n")}\nare in ${options.output}\n`);
      return;
    }
    const found = await findEngine(options.runtime, process.env);
    if ("reason" in found) throw new ConfigurationError(`cannot load the sample images: ${found.reason}`);
    await using _engine = found;
    await loadSamples(found.engine, stop);
    process.stdout.write(`${sampleImageNames().join("\n")}\nare there\n`);
  });
}

/** Where one is missing, or was made of other files. */
export async function loadSamples(engine: Engine, signal: AbortSignal): Promise<void> {
  for (const [name, mark] of await sampleMarks()) {
    const image = await engine.inspectImage(name, signal);
    if (!image?.env.includes(mark)) return engine.loadImage(imageArchive(...(await sampleImages())), signal);
  }
}
