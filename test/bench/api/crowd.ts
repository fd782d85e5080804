/** Helpers of the crowd of WebSockets. Pure. */

/** Below the API's limit for one address. */
const socketsPerAddress = 100;

/** The loopback address that the socket with this number comes from: Linux accepts all of 127.0.0.0/8. */
export function sourceAddress(index: number): string {
  const address = Math.floor(index / socketsPerAddress) + 1;
  return `127.0.${Math.floor(address / 250)}.${(address % 250) + 1}`;
}

/** When the change was written that an `instance` message shows; undefined for other messages. */
export function sentAt(message: string): number | undefined {
  const at = /"message":"sent at ([\d.]+) ms"/.exec(message)?.[1];
  return at === undefined ? undefined : Number(at);
}
