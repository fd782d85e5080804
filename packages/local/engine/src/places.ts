/** Where a container engine may answer, in the order in which to ask. Pure. */

export type Runtime = "auto" | "docker" | "podman";
export type Environment = Readonly<Record<string, string | undefined>>;

export type Places =
  /** `chosen`: the variable that says so. Then no other place is looked at. */
  { readonly sockets: readonly string[]; readonly chosen?: string } | { readonly reason: string };

const variables = { docker: ["DOCKER_HOST"], podman: ["CONTAINER_HOST", "DOCKER_HOST"] } as const;

export function enginePlaces(runtime: Runtime, env: Environment): Places {
  const names = runtime === "auto" ? ["DOCKER_HOST", "CONTAINER_HOST"] : variables[runtime];
  for (const name of names) {
    const host = env[name];
    if (!host) continue;
    const path = /^unix:\/\/(\/.+)$/.exec(host)?.[1];
    // A host may stand there with a password.
    if (!path) return { reason: `${name} names no unix socket (unix:///path): engines elsewhere are not supported` };
    return { sockets: [path], chosen: name };
  }
  const own = env.XDG_RUNTIME_DIR;
  const docker = ["/run/docker.sock", "/var/run/docker.sock", ...(own ? [`${own}/docker.sock`] : [])];
  const podman = ["/run/podman/podman.sock", ...(own ? [`${own}/podman/podman.sock`] : [])];
  if (runtime === "docker") return { sockets: docker };
  if (runtime === "podman") return { sockets: podman };
  return { sockets: [...docker, ...podman] };
}
