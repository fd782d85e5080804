/** Where players find the flag of an instance. */
import { type FlagOwner, flagPath } from "@berg/instances";
import type { Challenge, ChallengeContainer } from "@berg/resources";

/**
 * A sentence for each container that gets it. `{entropy}` in a path comes out of the flag: to whoever has that, the path
 * is told as it is; to others, that they cannot know it.
 */
export function flagPlaces({ spec }: Pick<Challenge, "spec">, owner?: FlagOwner): string[] {
  return spec.containers.flatMap((container) => {
    const place = placeIn(container, owner);
    return place === undefined ? [] : [`container ${container.hostname}: ${place}`];
  });
}

function placeIn({ dynamicFlag }: ChallengeContainer, owner: FlagOwner | undefined): string | undefined {
  const { env, content, executable } = dynamicFlag ?? {};
  if (env) return `the environment variable ${env.name}`;
  if (content) return `the file ${pathOf(content.path, owner)}`;
  return executable && `the program ${pathOf(executable.path, owner)} prints it`;
}

function pathOf(path: string, owner: FlagOwner | undefined): string {
  if (!owner) return path.replaceAll("{entropy}", "{entropy: 12 characters}");
  try {
    return flagPath(path, owner);
  } catch {
    // No file can be there, which the controller says too.
    return path;
  }
}
