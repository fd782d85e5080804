/**
 * A program of its own, for it takes 190 MB that its process never gives back: `node bundler.ts <entry>` bundles a
 * program and everything that it imports into one CommonJS file, and writes that to stdout.
 */
import { rolldown } from "rolldown";

const [entry = "", intro = ""] = process.argv.slice(2);
try {
  await using build = await rolldown({
    input: entry,
    platform: "node",
    external: /^node:/,
    // Nothing is imported for what it does when it is loaded. So a library that is not used is left out whole, such as
    // the HTTP client of @berg/kube: 0.4 MB in place of 1.9 MB, and less for whoever breaks into the container.
    treeshake: { moduleSideEffects: false },
    logLevel: "silent",
  });
  const { output } = await build.generate({ format: "cjs", codeSplitting: false, intro });
  const [chunk, ...others] = output;
  if (others.length > 0) throw new Error(`it makes ${output.length} files, and one is needed`);
  const missing = chunk.imports.filter((name) => !name.startsWith("node:"));
  if (missing.length > 0) throw new Error(`nothing has ${missing.join(", ")}`);
  process.stdout.write(chunk.code);
} catch (error) {
  process.stderr.write(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
