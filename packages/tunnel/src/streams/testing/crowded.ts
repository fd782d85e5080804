/**
 * A program with few descriptors: both proxies and an echo server. It says the tunnel's port, and whenever it is asked,
 * how many streams there are. With an argument the clients wait for a session that does not come.
 */
import { startEcho } from "./ends.ts";
import { startPair } from "./pair.ts";

const echo = await startEcho();
const withoutSession = process.argv[2] !== undefined;
const pair = await startPair({ withoutSession, waitMs: withoutSession ? 600_000 : 1_000 });
const port = await pair.tunnel(echo.port);
process.stdout.write(`${port}\n`);
process.stdin.on("data", () => process.stdout.write(`${JSON.stringify(pair.client.list()[0])}\n`));
