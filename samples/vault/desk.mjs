// The front desk: passes on what it is asked to, and shows what comes back.
import { createServer, get } from "node:http";

createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://desk");
  if (pathname === "/healthz") return response.end("ok\n");
  const check = searchParams.get("check") ?? "/usr/bin/node --version";
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
  response.write("<!doctype html><title>Vault</title><h1>How is the vault?</h1><form><input name=check value='");
  response.write(`${escaped(check)}' size=60> <button>Ask</button></form><pre>`);
  // Its address is in the environment, as every named port of every container is.
  const address = process.env.VAULT_ENDPOINT ?? "vault:9000";
  get(`http://${address}/?check=${encodeURIComponent(check)}`, (answer) => {
    answer.setEncoding("utf8");
    answer.on("data", (text) => response.write(escaped(text)));
    answer.on("end", () => response.end("</pre>"));
  }).on("error", ({ message }) => response.end(`The vault does not answer: ${escaped(message)}</pre>`));
}).listen(8080, () => console.log("the desk is open at port 8080"));

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll("'", "&#39;");
}

process.on("SIGTERM", () => process.exit(0));
