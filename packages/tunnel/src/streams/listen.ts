/** Listening, and where that cannot be, why, in words for whoever chose the address and the port. */
import { type AddressInfo, isIP, type Server } from "node:net";
import { networkInterfaces } from "node:os";

/** Connections that the kernel holds for us while we are busy; more of them are refused by it. */
const backlog = 1024;

const reasons: Record<string, string> = {
  EADDRINUSE: "the port is in use",
  EADDRNOTAVAIL: "the address is not one of this machine",
  EACCES: "no permission for this port (those below 1024 may need one)",
  EMFILE: "too many files are open",
  ENFILE: "too many files are open on this machine",
  EAFNOSUPPORT: "this machine has no addresses of that kind",
};

/** The port that it listens on. An empty address is every one; port 0 any that is free. */
export async function listen(server: Server, address: string, port: number): Promise<number> {
  const where = `${address || "every address"}, port ${port}`;
  if (address !== "" && isIP(address) === 0)
    throw new Error(`cannot listen on ${where}: "${address}" is no IP address`);
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new Error(`cannot listen on ${where}: a port is a whole number from 0 (any) to 65535`);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      reject(new Error(`cannot listen on ${where}: ${reasons[error.code ?? ""] ?? error.message}`, { cause: error }));
    });
    server.listen({ port, backlog, ...(address !== "" && { host: address }) }, resolve);
  });
  server.removeAllListeners("error");
  // From here on an error is about one connection that could not be accepted; the next one may be.
  server.on("error", () => {});
  return (server.address() as AddressInfo).port;
}

/** At which addresses others find it, but for one that is not meant for them. */
export function addressesOf(server: Server, except: string): string[] {
  const { address } = server.address() as AddressInfo;
  if (address !== "0.0.0.0" && address !== "::") return [address];
  const all = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  const fitting = all.filter((found) => address === "::" || found.family === "IPv4");
  // Link-local ones need the name of an interface beside them, which differs in each container.
  const usable = fitting.filter((found) => found.address !== except && !found.address.startsWith("fe80:"));
  const outward = usable.filter((found) => !found.internal);
  return (outward.length > 0 ? outward : usable).map((found) => found.address);
}
