/** Which methods a path takes, so that a request with another one is answered with 405 and not with 404. */
import type { FastifyInstance } from "fastify";

interface Known {
  pattern: RegExp;
  methods: readonly string[];
}

export class KnownRoutes {
  readonly #known: Known[] = [];

  /** Sees the routes of the API that are added to `app` after it. */
  constructor(app: FastifyInstance) {
    app.addHook("onRoute", ({ url, method }) => {
      if (url.startsWith("/api/")) this.#known.push({ pattern: patternOf(url), methods: [method].flat() });
    });
  }

  methodsAt(path: string): string[] {
    const methods = this.#known.filter(({ pattern }) => pattern.test(path)).flatMap((known) => known.methods);
    return [...new Set(methods)].sort();
  }
}

/** `/api/players/:id` → `^/api/players/[^/]+$` */
function patternOf(template: string): RegExp {
  const parts = template.split("/").map((part) => (part.startsWith(":") ? "[^/]+" : RegExp.escape(part)));
  return new RegExp(`^${parts.join("/")}$`);
}
