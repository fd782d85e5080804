import { type Client, createClient } from "@berg/kube";

export function clientFor(server: string): Client {
  const connection = {
    server,
    namespace: "default",
    tls: async () => ({ rejectUnauthorized: true }),
    authorization: async () => undefined,
    refused() {},
  };
  return createClient({ connection });
}
