/** Variables that are nearly ours and have no effect, which nobody would notice. */

type Environment = Record<string, string | undefined>;

/** `"there is no setting CHALLENGE_HTPP_PORT; did you mean CHALLENGE_HTTP_PORT?"`, for each. */
export function misspeltVariables(env: Environment, known: readonly string[]): string[] {
  return Object.entries(env).flatMap(([name, value = ""]) => {
    if (value === "" || known.includes(name) || writtenByKubernetes(name, value)) return [];
    const meant = known.find((candidate) => distance(name, candidate) <= tolerance(candidate));
    return meant === undefined ? [] : [`there is no setting ${name}; did you mean ${meant}?`];
  });
}

/**
 * Kubernetes tells containers about the Services beside them in variables such as `GATEWAY_PORT_80_TCP_ADDR`. Those of a
 * Service called challenge-http have one with the name of a setting: `CHALLENGE_HTTP_PORT=tcp://10.96.0.7:80`.
 */
export function writtenByKubernetes(name: string, value: string): boolean {
  return (
    /_SERVICE_(HOST|PORT)(_[A-Z0-9_]+)?$/.test(name) ||
    /_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name) ||
    (name.endsWith("_PORT") && /^(tcp|udp|sctp):\/\//.test(value))
  );
}

/** How many slips a name has room for before it is more likely another name. */
function tolerance(name: string): number {
  return name.length < 16 ? 1 : 2;
}

/** How many letters are to be added, left out, replaced or swapped with the next one, to make `b` of `a`. */
function distance(a: string, b: string): number {
  const first = Array.from({ length: b.length + 1 }, (_, index) => index);
  let [beforeLast, last] = [first, first];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (beforeLast[j - 2] ?? 0) + 1 : replaced;
      row.push(Math.min(replaced, swapped, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    [beforeLast, last] = [last, row];
  }
  return last.at(-1) ?? 0;
}
