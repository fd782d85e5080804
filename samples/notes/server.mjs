// Serves the notes beside it. What it forgets is that a name may lead out of the directory.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";

const notes = ["welcome", "shopping", "ideas"];

createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://notes");
  if (pathname === "/healthz") return response.end("ok\n");
  if (pathname !== "/") return response.writeHead(404).end("There is nothing here.\n");
  const note = searchParams.get("note") ?? "welcome";
  try {
    const text = await readFile(`/srv/notes/${note}.txt`.replace(/\.txt\.txt$/, ".txt"), "utf8");
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page(text));
  } catch {
    response.writeHead(404, { "content-type": "text/html; charset=utf-8" }).end(page("There is no such note."));
  }
}).listen(8080, () => console.log("notes are served at port 8080"));

function page(text) {
  const links = notes.map((note) => `<a href="/?note=${note}">${note}</a>`).join(" · ");
  return `<!doctype html><title>Notes</title><style>body{font:18px/1.6 sans-serif;max-width:40em;margin:4em auto}</style>
<h1>Notes</h1><p>${links}</p><pre>${text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</pre>`;
}

process.on("SIGTERM", () => process.exit(0));
