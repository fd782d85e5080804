import { describe, expect, test } from "vitest";
import { ConfigurationError } from "./configuration-error.ts";
import { Entry } from "./entry.ts";
import { readUser } from "./user.ts";

const user = (fields: object) => new Entry('user "u" in /etc/kube/config', "/etc/kube/config", fields);
const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "aws", interactiveMode: "Never" };
const data = Buffer.from("PEM").toString("base64");

describe("a user", () => {
  test.each([
    { name: "nothing", fields: {}, want: { kind: "none" } },
    { name: "empty fields", fields: { token: "", username: null, exec: null }, want: { kind: "none" } },
    { name: "a token", fields: { token: "abc" }, want: { kind: "header", authorization: "Bearer abc" } },
    {
      name: "a token file",
      fields: { tokenFile: "../token" },
      want: { kind: "tokenFile", file: "/etc/token", what: 'tokenFile of user "u" in /etc/kube/config' },
    },
    {
      name: "both, of which the file is the newer",
      fields: { token: "abc", tokenFile: "/t" },
      want: { kind: "tokenFile", file: "/t", what: 'tokenFile of user "u" in /etc/kube/config' },
    },
    {
      name: "name and password",
      fields: { username: "ada", password: "l:ö" },
      want: { kind: "header", authorization: "Basic YWRhOmw6w7Y=" },
    },
    {
      name: "a certificate beside a token",
      fields: { token: "abc", "client-certificate": "c.pem", "client-key-data": data },
      want: {
        kind: "header",
        authorization: "Bearer abc",
        certificate: {
          cert: { what: 'client-certificate of user "u" in /etc/kube/config', file: "/etc/kube/c.pem" },
          key: { what: 'client-key-data of user "u" in /etc/kube/config', data: "PEM" },
        },
      },
    },
    {
      name: "a plugin",
      fields: {
        exec: {
          ...exec,
          args: ["get-token"],
          env: [{ name: "A", value: "1" }, { name: "B" }],
          provideClusterInfo: true,
          installHint: "apt install aws",
        },
      },
      want: {
        kind: "plugin",
        exec: {
          ...exec,
          what: 'exec of user "u" in /etc/kube/config',
          args: ["get-token"],
          env: { A: "1", B: "" },
          provideClusterInfo: true,
          installHint: "apt install aws",
        },
      },
    },
    {
      name: "a plugin of the older version beside the kubeconfig",
      fields: { exec: { apiVersion: "client.authentication.k8s.io/v1beta1", command: "./bin/login" } },
      want: {
        kind: "plugin",
        exec: {
          what: 'exec of user "u" in /etc/kube/config',
          apiVersion: "client.authentication.k8s.io/v1beta1",
          command: "/etc/kube/bin/login",
          args: [],
          env: {},
          provideClusterInfo: false,
          interactiveMode: "IfAvailable",
        },
      },
    },
  ])("may have $name", ({ fields, want }) => {
    expect(readUser(user(fields))).toEqual(want);
  });

  const who = 'user "u" in /etc/kube/config';
  test.each([
    { fields: { token: "s3cret", exec }, want: `${who} has token and exec: only one of them can be used` },
    { fields: { token: "s3cret", username: "a" }, want: `${who} has token and username and password: only one` },
    { fields: { tokenFile: "t", exec }, want: `${who} has tokenFile and exec: only one` },
    {
      fields: { exec, "client-certificate": "a", "client-key": "b" },
      want: `${who} has exec and client-certificate: only one`,
    },
    { fields: { token: "s3cret\n" }, want: `${who} has a wrong token: there are spaces, line breaks` },
    { fields: { token: 1234 }, want: `${who} has a wrong token: it is a number, not text: put it in quotes` },
    { fields: { username: "s3:cret" }, want: `${who} has a wrong username: there is a colon in it` },
    { fields: { password: "s3cret" }, want: `${who} has a password and no username` },
    { fields: { "client-certificate": "a" }, want: `${who} has a client-certificate and no client-key` },
    { fields: { "client-key-data": data }, want: `${who} has a client-key and no client-certificate` },
    { fields: { "client-key-data": "s3cret" }, want: `${who} has a wrong client-key-data: it is not base64` },
    {
      fields: { "client-key-data": data, "client-key": "a" },
      want: `${who} has both client-key and client-key-data: remove one`,
    },
    { fields: { "auth-provider": { name: "gcp" } }, want: `${who} has an auth-provider, which Kubernetes has removed` },
    { fields: { as: "root" }, want: `${who} has "as", but impersonation is not supported` },
    { fields: { "as-groups": ["system:masters"] }, want: `${who} has "as-groups", but impersonation is not supported` },
    { fields: { exec: "s3cret" }, want: `exec of ${who} is text, not a mapping` },
    { fields: { exec: { ...exec, command: "" } }, want: `exec of ${who} has no command` },
    { fields: { exec: { ...exec, apiVersion: "v1" } }, want: `exec of ${who} has a wrong apiVersion: use client.auth` },
    {
      fields: { exec: { ...exec, interactiveMode: undefined } },
      want: `exec of ${who} has no interactiveMode: use one of Never, IfAvailable, Always`,
    },
    {
      fields: { exec: { ...exec, interactiveMode: "Maybe" } },
      want: `exec of ${who} has a wrong interactiveMode: use`,
    },
    { fields: { exec: { ...exec, args: [1] } }, want: `exec of ${who} has a wrong args[0]: it is a number, not text` },
    { fields: { exec: { ...exec, env: [{ value: "s3cret" }] } }, want: `env[0] of exec of ${who} has no name` },
  ])("is refused: $want", ({ fields, want }) => {
    const read = () => readUser(user(fields));
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow(want);
    expect(read).not.toThrow("s3");
  });
});
