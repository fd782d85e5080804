/** The tunnels that an author asks for: `--tunnel db=localhost:5432`. Pure. */
import { InvalidArgumentError } from "commander";

export interface WantedTunnel {
  name: string;
  /** The server, as this machine knows it. */
  host: string;
  port: number;
}

const form = "A tunnel is <name>=<host>:<port> or <name>=<port>, such as db=localhost:5432";

/** Of an option that may come several times. */
export function readTunnel(text: string, before: readonly WantedTunnel[] = []): WantedTunnel[] {
  const match = /^([^=]*)=(?:\[([^\]]+)\]:|([^:]+):)?(\d{1,5})$/.exec(text);
  if (!match) throw new InvalidArgumentError(`${form}.`);
  const [, name = "", bracketed, plain, digits] = match;
  if (!/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) {
    throw new InvalidArgumentError(
      "The name of a tunnel has lower-case letters, digits and '-', and starts with a letter: containers know the server by it.",
    );
  }
  const port = Number(digits);
  if (port < 1 || port > 65535) throw new InvalidArgumentError("The port of a server is 1 to 65535.");
  if (before.some((other) => other.name === name)) {
    throw new InvalidArgumentError(`There are two tunnels called ${name}: give them different names.`);
  }
  return [...before, { name, host: bracketed ?? plain ?? "localhost", port }];
}
