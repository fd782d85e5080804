import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { ImageOptions, Layer } from "@berg/local-node";
import { commandPath } from "../missing.ts";

/** A small system: busybox as every command it knows, a root and a player, and a /tmp for all. */
function busyboxLayer(): Layer {
  const binary = commandPath("busybox");
  const commands = execFileSync(binary, ["--list"], { encoding: "utf8" }).trim().split("\n");
  return {
    "/bin/busybox": { content: readFileSync(binary), mode: 0o755 },
    ...Object.fromEntries(
      commands
        .filter((command) => command !== "busybox")
        .map((command) => [`/bin/${command}`, { linkTo: "/bin/busybox" }]),
    ),
    "/etc/passwd": { content: "root:x:0:0::/:/bin/sh\nplayer:x:1000:1000::/home/player:/bin/sh\n" },
    "/etc/group": { content: "root:x:0:\nplayer:x:1000:\n" },
    "/home/player": { directory: true, uid: 1000 },
    "/tmp": { directory: true, mode: 0o1777 },
  };
}

/**
 * An image with a shell, and with what a test adds to it.
 *
 *     busyboxImage({ name: "berg.test/web:1", user: "1000", files: { "/srv/index.html": { content: "hi" } } })
 */
export function busyboxImage(options: Omit<ImageOptions, "layers"> & { files?: Layer }): ImageOptions {
  const { files, env = [], ...others } = options;
  return { ...others, env: ["PATH=/bin", ...env], layers: [busyboxLayer(), ...(files ? [files] : [])] };
}
