import { expect, test } from "vitest";
import { enginePlaces } from "./places.ts";

const socket = (name: string) => ({ sockets: [`/${name}.sock`] });

test.each([
  [
    "auto",
    { DOCKER_HOST: "unix:///d.sock", CONTAINER_HOST: "unix:///c.sock" },
    { ...socket("d"), chosen: "DOCKER_HOST" },
  ],
  [
    "podman",
    { DOCKER_HOST: "unix:///d.sock", CONTAINER_HOST: "unix:///c.sock" },
    { ...socket("c"), chosen: "CONTAINER_HOST" },
  ],
  ["docker", { CONTAINER_HOST: "unix:///c.sock" }, { sockets: ["/run/docker.sock", "/var/run/docker.sock"] }],
  ["auto", { DOCKER_HOST: "" }, { sockets: ["/run/docker.sock", "/var/run/docker.sock", "/run/podman/podman.sock"] }],
  [
    "podman",
    { XDG_RUNTIME_DIR: "/run/user/7" },
    { sockets: ["/run/podman/podman.sock", "/run/user/7/podman/podman.sock"] },
  ],
  ["docker", { XDG_RUNTIME_DIR: "/r" }, { sockets: ["/run/docker.sock", "/var/run/docker.sock", "/r/docker.sock"] }],
] as const)("%s with %o", (runtime, env, want) => {
  expect(enginePlaces(runtime, env)).toEqual(want);
});

test("an engine that is not on this machine is refused by the variable's name, for a password may stand in it", () => {
  const places = enginePlaces("auto", { DOCKER_HOST: "ssh://root:hunter2@far.example" });
  expect(places).toEqual({
    reason: "DOCKER_HOST names no unix socket (unix:///path): engines elsewhere are not supported",
  });
});
