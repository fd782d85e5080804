/** How containers find the tunnels. Pure. */
import { endpointVariable } from "@berg/instances";
import type { Challenge } from "@berg/resources";
import { Failure } from "../../instance/failure.ts";
import type { WantedTunnel } from "./wanted.ts";

/** The Challenge with `DB_ENDPOINT=db:5432` in each container. What is already called so is a mistake of somebody. */
export function withEndpoints(challenge: Challenge, tunnels: readonly WantedTunnel[]): Challenge {
  const containers = challenge.spec.containers.map((container) => {
    const added = tunnels.map((tunnel) => {
      const variable = endpointVariable(tunnel.name);
      refuseTaken(challenge, tunnel.name, variable);
      if (container.environment[variable] !== undefined) {
        throw new Failure(
          `the container ${container.hostname} sets ${variable} itself: give the tunnel ${tunnel.name} another name`,
        );
      }
      return [variable, `${tunnel.name}:${tunnel.port}`] as const;
    });
    return { ...container, environment: { ...container.environment, ...Object.fromEntries(added) } };
  });
  return { ...challenge, spec: { ...challenge.spec, containers } };
}

function refuseTaken({ spec }: Challenge, name: string, variable: string): void {
  for (const { hostname, ports } of spec.containers) {
    if (hostname === name) {
      throw new Failure(`a container is called ${name}, as the tunnel is: give the tunnel another name`);
    }
    const port = ports.find((each) => each.name && endpointVariable(each.name) === variable);
    if (port) {
      throw new Failure(
        `the port ${port.name} of the container ${hostname} is found in ${variable}, as the tunnel ${name} would be: give the tunnel another name`,
      );
    }
  }
}
