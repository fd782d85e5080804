import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { type Kubectl, kubectlFor, missingKubectl } from "./kubectl.ts";
import { findOurs } from "./left-overs.ts";
import { onOneMachine } from "./on-one-machine.ts";
import { get } from "./players.ts";

const flag = "flag{typed_by_hand}";
const manifest = `
apiVersion: berg.norelect.ch/v1
kind: ChallengeInstance
metadata: { name: by-hand, namespace: berg }
spec:
  challengeRef: { name: notes, namespace: berg }
  ownerId: ${randomUUID()}
  flag: ${flag}
`;

describe.skipIf(await missingKubectl())("kubectl", () => {
  onOneMachine((given) => {
    let kubectl: Kubectl;
    let namespace: string;
    let pod: string;

    const ask = async (...args: string[]) => {
      const { exit, stdout, stderr } = await kubectl.run(args);
      expect({ exit, stderr }).toEqual({ exit: 0, stderr: "" });
      return stdout;
    };
    const exec = (script: string, input?: string) => {
      const how = input === undefined ? [] : ["-i"];
      return kubectl.run(["exec", ...how, "-n", namespace, pod, "--", "/usr/bin/node", "-e", script], input);
    };
    /** Puts a line among what the challenge itself says. */
    const say = (line: string) => exec(`require("fs").writeFileSync("/proc/1/fd/1", "${line}\\n")`);

    beforeAll(async () => {
      kubectl = await kubectlFor(given.machine);
      expect(await kubectl.run(["apply", "-f", "-"], manifest)).toMatchObject({ exit: 0 });
      await kubectl.until("Running", ["get", "ci", "-n", "berg", "by-hand", "-w"]);
      namespace = await ask("get", "ci", "-n", "berg", "by-hand", "-o", "jsonpath={.status.namespace}");
      pod = await ask("get", "pods", "-n", namespace, "-o", "jsonpath={.items[0].metadata.name}");
    });

    test("the instance shows where it is, and the flag of its manifest is in it", async () => {
      const [host = "", port = ""] = (
        await ask(
          ...["get", "ci", "-n", "berg", "by-hand"],
          ...["-o", "jsonpath={.status.services[0].hostname} {.status.services[0].port}"],
        )
      ).split(" ");
      expect((await get(`http://${host}:${port}/?note=../secret/flag`)).text).toContain(flag);
      expect(await ask("get", "pods", "-n", namespace)).toMatch(/notes-\S+ +1\/1 +Running +0 /);
    });

    test("logs are those of the container, also while it goes on", async () => {
      expect(await ask("logs", "-n", namespace, pod)).toBe("notes are served at port 8080\n");
      const followed = await kubectl.until("hello", ["logs", "-f", "-n", namespace, pod], () => say("hello"));
      expect(followed).toBe("notes are served at port 8080\nhello\n");
      expect(await ask("logs", "--tail=1", "-n", namespace, "deployment/notes")).toBe("hello\n");
    });

    test("a command has its input, both its outputs and its exit code", async () => {
      const echoed = await exec("process.stdin.pipe(process.stdout)", "a line\nand ü, without an end");
      expect(echoed).toEqual({ exit: 0, stdout: "a line\nand ü, without an end", stderr: "" });
      const failed = await exec("console.log('out'); console.error('err'); process.exitCode = 7");
      expect(failed).toMatchObject({ exit: 7, stdout: "out\n" });
      expect(failed.stderr).toBe("err\ncommand terminated with exit code 7\n");
      const big = "x".repeat(3_000_000);
      expect((await exec("process.stdin.pipe(process.stdout)", big)).stdout).toHaveLength(big.length);
    });

    test("a container that ends is started again, and its last words can be read", async () => {
      await say("last words");
      await exec("process.kill(1)");
      await vi.waitFor(async () => expect(await ask("get", "pods", "-n", namespace)).toMatch(/ 1\/1 +Running +1 /), {
        timeout: 30_000,
        interval: 300,
      });
      expect(await ask("logs", "-p", "-n", namespace, pod)).toMatch(/last words\n$/);
      expect(await ask("logs", "-n", namespace, pod)).toBe("notes are served at port 8080\n");
    });

    test("once it is deleted, its container, network and namespace are gone", async () => {
      await ask("delete", "ci", "-n", "berg", "by-hand");
      const { exit, stderr } = await kubectl.run(["get", "namespace", namespace]);
      expect({ exit, stderr }).toEqual({
        exit: 1,
        stderr: `Error from server (NotFound): namespaces "${namespace}" not found\n`,
      });
      expect(await findOurs(given.machine)).toMatchObject({ containers: [], networks: [] });
    });
  });
});
