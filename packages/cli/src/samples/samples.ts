/** The sample challenges that come with Berg: what their images are made of, and their Challenges. */
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ImageOptions } from "@berg/local-node";
import type { Challenge } from "@berg/resources";
import { parse } from "yaml";
import { nodeLayer } from "./node-layer.ts";

/** Holds a directory for each sample; their handouts are in it too. */
export const samplesDirectory = join(import.meta.dirname, "../../../../samples");

/** By the directory of the sample: where each file of it is in which image. */
const images: Readonly<Record<string, { name: string; files: Readonly<Record<string, string>>; program: string }[]>> = {
  notes: [
    {
      name: "berg.local/sample-notes:1",
      program: "/srv/server.mjs",
      files: { "/srv/server.mjs": "server.mjs", "/srv/notes": "notes" },
    },
  ],
  jail: [{ name: "berg.local/sample-jail:1", program: "/srv/server.mjs", files: { "/srv/server.mjs": "server.mjs" } }],
  vault: [
    { name: "berg.local/sample-vault-desk:1", program: "/srv/desk.mjs", files: { "/srv/desk.mjs": "desk.mjs" } },
    { name: "berg.local/sample-vault:1", program: "/srv/vault.mjs", files: { "/srv/vault.mjs": "vault.mjs" } },
  ],
};

export const sampleNames = Object.keys(images);

export async function sampleChallenges(): Promise<Challenge[]> {
  const read = async (name: string) => parse(await readFile(join(samplesDirectory, name, "challenge.yaml"), "utf8"));
  return Promise.all(sampleNames.map(read));
}

export function sampleImageNames(): string[] {
  return Object.values(images).flatMap((some) => some.map(({ name }) => name));
}

/** All of them stand on the same lowest layer: Node as it runs this, with what it is linked to. */
export async function sampleImages(): Promise<ImageOptions[]> {
  const base = await nodeLayer();
  const own = await ownLayers();
  return own.map(({ name, program, layer, mark }) => ({
    name,
    layers: [base, layer],
    command: ["/usr/bin/node", program],
    env: [mark],
    user: "1000:1000",
    workingDir: "/srv",
  }));
}

/** By name, what stands in the environment of the image that these files make, and of no other. */
export async function sampleMarks(): Promise<Map<string, string>> {
  return new Map((await ownLayers()).map(({ name, mark }) => [name, mark]));
}

async function ownLayers() {
  const all = Object.entries(images).flatMap(([sample, some]) => some.map((image) => ({ sample, ...image })));
  return Promise.all(
    all.map(async ({ sample, name, program, files }) => {
      const layer = await layerOf(join(samplesDirectory, sample), files);
      return { name, program, layer, mark: `SAMPLE=${digestOf(layer)}` };
    }),
  );
}

function digestOf(layer: Record<string, { content: Uint8Array }>): string {
  const hash = createHash("sha256").update(process.version);
  for (const [path, { content }] of Object.entries(layer)) hash.update(`\n${path}\n`).update(content);
  return hash.digest("hex").slice(0, 16);
}

/** A directory stands for the files in it. */
async function layerOf(
  from: string,
  files: Readonly<Record<string, string>>,
): Promise<Record<string, { content: Uint8Array }>> {
  const layer: Record<string, { content: Uint8Array }> = {};
  for (const [path, file] of Object.entries(files)) {
    if (file.includes(".")) layer[path] = { content: await readFile(join(from, file)) };
    else
      for (const name of await readdir(join(from, file))) {
        layer[`${path}/${name}`] = { content: await readFile(join(from, file, name)) };
      }
  }
  return layer;
}
