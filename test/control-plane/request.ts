import { request as httpRequest } from "node:http";
import { request as httpsRequest, type RequestOptions } from "node:https";

export interface Answer {
  status: number;
  body: string;
}

/** One request on a connection of its own; with a `ca` over TLS, else in clear (etcd's unix socket). */
export function ask(options: RequestOptions, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = (options.ca ? httpsRequest : httpRequest)({ ...options, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text }));
      response.on("error", reject);
    });
    request.on("error", reject);
    request.end(body);
  });
}
