/** What the gateway says itself: plain sentences, nothing of the request in them. */
import { STATUS_CODES } from "node:http";

export interface Page {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const retrySeconds = 2;

const startingText = "This is starting. It will be here in a moment.\n";

const startingHtml = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="${retrySeconds}">
<title>Starting</title>
<style>
:root { color-scheme: light dark }
body { font: 1.1rem/1.5 system-ui, sans-serif; display: grid; place-items: center; min-height: 90vh; margin: 0 1rem }
</style>
</head>
<body>
<main><h1>Starting</h1><p>This is starting. The page loads by itself as soon as it is there.</p></main>
</body>
</html>
`;

/** For people it refreshes itself; programs are told when to ask again. */
export function startingPage(accept: string | undefined): Page {
  const html = accept?.includes("text/html") ?? false;
  return page(503, html ? startingHtml : startingText, html ? "text/html" : "text/plain", {
    "Retry-After": `${retrySeconds}`,
  });
}

export function textPage(status: number, text: string): Page {
  return page(status, text, "text/plain");
}

function page(status: number, body: string, type: string, more: Record<string, string> = {}): Page {
  const headers = {
    "Content-Type": `${type}; charset=utf-8`,
    "Content-Length": `${Buffer.byteLength(body)}`,
    "Cache-Control": "no-store",
    ...more,
  };
  return { status, headers, body };
}

/** The whole answer, for a connection that nothing else writes to any more. */
export function writtenPage({ status, headers, body }: Page, method = "GET"): string {
  const lines = Object.entries({ ...headers, Connection: "close" }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${method === "HEAD" ? "" : body}`;
}
