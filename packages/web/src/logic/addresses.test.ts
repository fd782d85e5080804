import type { Service } from "@berg/api/wire";
import { expect, test } from "vitest";
import { addressOf } from "./addresses.ts";

const tcp: Service = {
  name: "main",
  hostname: "jail.example.org",
  port: 31337,
  protocol: "tcp",
  appProtocol: "tcp",
  tls: false,
};

test.each<{ title: string; service: Partial<Service>; want: string }>([
  { title: "plain TCP", service: {}, want: "nc jail.example.org 31337" },
  { title: "UDP", service: { protocol: "udp" }, want: "nc -u jail.example.org 31337" },
  { title: "TLS", service: { tls: true }, want: "ncat --ssl jail.example.org 31337" },
  { title: "SSH", service: { appProtocol: "ssh", port: 2222 }, want: "ssh -p 2222 jail.example.org" },
  { title: "an unknown protocol", service: { appProtocol: "redis" }, want: "nc jail.example.org 31337" },
])("gives a command for $title", ({ service, want }) => {
  expect(addressOf({ ...tcp, ...service })).toEqual({ kind: "command", command: want });
});

test.each<{ title: string; service: Partial<Service>; want: string }>([
  { title: "HTTP", service: { appProtocol: "http" }, want: "http://jail.example.org:31337/" },
  { title: "HTTP behind TLS", service: { appProtocol: "http", tls: true }, want: "https://jail.example.org:31337/" },
  { title: "HTTPS", service: { appProtocol: "https" }, want: "https://jail.example.org:31337/" },
  { title: "tls+http", service: { appProtocol: "tls+http" }, want: "https://jail.example.org:31337/" },
  { title: "the default port", service: { appProtocol: "http", port: 80 }, want: "http://jail.example.org/" },
])("gives a link for $title", ({ service, want }) => {
  expect(addressOf({ ...tcp, ...service })).toEqual({ kind: "link", href: want });
});
