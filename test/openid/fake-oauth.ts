/** A mock of the endpoints of Discord and CTFtime, which cannot be had in a test: their paths and answers, nothing else. */
import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

interface Paths {
  authorize: string;
  token: string;
  user: string;
}

const paths: Record<"discord" | "ctftime", Paths> = {
  discord: { authorize: "/oauth2/authorize", token: "/api/oauth2/token", user: "/api/users/@me" },
  ctftime: { authorize: "/authorize", token: "/token", user: "/user" },
};

export interface FakeOauth extends AsyncDisposable {
  issuer: string;
  /** What the user request is answered with. */
  user: unknown;
}

/** Signs everybody in at once. It checks the client, the code and the PKCE verifier, as the real ones do. */
export async function startFakeOauth(
  type: "discord" | "ctftime",
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
): Promise<FakeOauth> {
  const { authorize, token, user } = paths[type];
  const challenges = new Map<string, string>();
  const tokens = new Set<string>();
  const fake = { issuer: "", user: {} as unknown };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? "/", "http://localhost");
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (url.pathname === authorize) {
      const code = randomUUID();
      challenges.set(code, url.searchParams.get("code_challenge") ?? "");
      const back = new URL(url.searchParams.get("redirect_uri") ?? "");
      back.searchParams.set("code", code);
      back.searchParams.set("state", url.searchParams.get("state") ?? "");
      return response.writeHead(302, { location: back.href }).end();
    }
    if (url.pathname === token && request.method === "POST") {
      let text = "";
      for await (const piece of request.setEncoding("utf8")) text += piece;
      const form = new URLSearchParams(text);
      const isClient = form.get("client_id") === clientId && form.get("client_secret") === clientSecret;
      if (!isClient) return json(401, { error: "invalid_client" });
      const code = form.get("code") ?? "";
      const verifier = createHash("sha256")
        .update(form.get("code_verifier") ?? "")
        .digest("base64url");
      if (challenges.get(code) !== verifier) return json(400, { error: "invalid_grant" });
      challenges.delete(code);
      const access_token = randomUUID();
      tokens.add(access_token);
      return json(200, { access_token, token_type: "Bearer", expires_in: 600, scope: "identify" });
    }
    if (url.pathname === user) {
      const isKnown = tokens.has((request.headers.authorization ?? "").replace("Bearer ", ""));
      return isKnown ? json(200, fake.user) : json(401, { message: "401: Unauthorized" });
    }
    return json(404, {});
  };
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  fake.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(fake, {
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  });
}
