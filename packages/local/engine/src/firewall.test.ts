import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { missingFirewall } from "./firewall.ts";

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "berg-firewall-"));
});
afterEach(() => rm(directory, { recursive: true }));

/** A command that prints this, for versions of Podman and netavark that no one machine has. */
async function command(name: string, answer: object = {}): Promise<string> {
  const file = join(directory, name);
  await writeFile(file, `#!/bin/sh\necho '${JSON.stringify(answer)}'\n`);
  await chmod(file, 0o755);
  return file;
}

const missing = (env: Record<string, string> = {}) =>
  missingFirewall({ PATH: directory, ...env }, { isSystemService: false });

test.each([
  { version: {}, want: "with netavark, which needs the command iptables" },
  {
    version: { default_fw_driver: "iptables" },
    want: "install the package iptables (Debian: apt-get install iptables)",
  },
  { version: { default_fw_driver: "nftables" }, want: undefined },
])("netavark that says $version", async ({ version, want }) => {
  const path = await command("netavark", { version: "1.4.0", ...version });
  await command("podman", { networkBackend: "netavark", networkBackendInfo: { path } });
  if (want) expect(await missing()).toContain(want);
  else expect(await missing()).toBeUndefined();
});

test("CNI needs it too", async () => {
  await command("podman", { networkBackend: "cni" });
  expect(await missing()).toContain("with the CNI plugins, which needs the command iptables");
});

test("a driver that the environment names is the one", async () => {
  const path = await command("netavark");
  await command("podman", { networkBackend: "netavark", networkBackendInfo: { path } });
  expect(await missing({ NETAVARK_FW: "nftables" })).toBeUndefined();
});

test("where the command is there, or Podman says nothing, nothing is missing", async () => {
  expect(await missing()).toBeUndefined();
  await writeFile(join(directory, "podman"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  expect(await missing()).toBeUndefined();
  await command("podman", { networkBackend: "cni" });
  expect(await missing()).toBeDefined();
  await command("iptables");
  expect(await missing()).toBeUndefined();
});
