/** `/healthz`, `/livez` and `/readyz`: whether the server lives, and whether it should be sent requests. */

export type Check = () => boolean;

export interface HealthAnswer {
  code: number;
  text: string;
}

const roots = new Set(["healthz", "livez", "readyz"]);

/** Undefined where the path is another's. `checks` are by name, and asked in this order. */
export function healthAnswer(
  path: string,
  query: URLSearchParams,
  checks: Readonly<Record<string, Check>>,
): HealthAnswer | undefined {
  const [root = "", one, ...rest] = path.slice(1).split("/");
  if (!roots.has(root) || rest.length > 0) return undefined;
  if (one !== undefined && one !== "") {
    const check = Object.hasOwn(checks, one) ? checks[one] : undefined;
    if (!check) return { code: 404, text: "404 page not found\n" };
    return check() ? { code: 200, text: "ok" } : { code: 500, text: "internal server error: check failed\n" };
  }
  const excluded = new Set(query.getAll("exclude"));
  const results = Object.entries(checks).map(([name, check]) => ({
    name,
    isGood: excluded.has(name) || check(),
    isExcluded: excluded.has(name),
  }));
  const isGood = results.every((result) => result.isGood);
  if (isGood && !query.has("verbose")) return { code: 200, text: "ok" };
  const lines = results.map(({ name, isGood: good, isExcluded }) =>
    isExcluded ? `[+]${name} excluded: ok` : good ? `[+]${name} ok` : `[-]${name} failed: reason withheld`,
  );
  return { code: isGood ? 200 : 500, text: `${lines.join("\n")}\n${root} check ${isGood ? "passed" : "failed"}\n` };
}
