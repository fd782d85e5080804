/** Half of the plain relay: what comes is passed on, as Node does it by itself. No encryption, no limits, no names. */
import { type AddressInfo, connect, createServer } from "node:net";
import { report, settingsOf } from "../../runtime/child.ts";
import type { Site } from "../contender.ts";

const target = settingsOf<Site>();
const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
  const far = connect({ ...target, allowHalfOpen: true, noDelay: true });
  near.on("error", () => far.destroy());
  far.on("error", () => near.destroy());
  near.pipe(far).pipe(near);
});
server.listen({ host: "127.0.0.1", port: 0, backlog: 4096 }, () =>
  report({ port: (server.address() as AddressInfo).port, pid: process.pid }),
);
