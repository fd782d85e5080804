/** Challenges that make sense: whatever comes out can be run. For what an author may get wrong see `wild-challenge.ts`. */
import { type Challenge, formatFieldError, portTypes, validateChallenge } from "@berg/resources";
import fc from "fast-check";
import { flagArbitrary } from "./flag.ts";

type Fields = Record<string, unknown>;

/** As the API server stores it. Names, hostnames and ports are unique, probes ask ports that are there. */
export function challengeArbitrary(): fc.Arbitrary<Challenge> {
  const names = fc.stringMatching(/^[a-z][a-z0-9-]{0,30}[a-z0-9]$/);
  const longName = fc.constant(`long.${"a".repeat(59)}`);
  const maybe = fields({
    displayName: fc.string({ unit: "grapheme", maxLength: 40 }),
    author: fc.string({ maxLength: 40 }),
    description: fc.string({ unit: "grapheme", maxLength: 200 }),
    flag: flagArbitrary(),
    flagFormat: fc.constant("flag{...}"),
    difficulty: fc.constantFrom("baby", "easy", "leet"),
    categories: fc.array(fc.constantFrom("web", "pwn", "crypto"), { maxLength: 2 }),
    timeout: fc.constantFrom("", "30m", "2h"),
    until: fc.constant("2030-01-01T00:00:00Z"),
    allowOutboundTraffic: fc.boolean(),
    attachments: fc.constant([{ fileName: "source.zip", downloadUrl: "https://files.example.com/source.zip" }]),
  });
  return fc
    .record({ name: fc.oneof({ arbitrary: names, weight: 9 }, { arbitrary: longName, weight: 1 }), maybe, containers })
    .map(({ name, maybe: spec, containers: list }) =>
      stored({
        apiVersion: "berg.norelect.ch/v1",
        kind: "Challenge",
        metadata: { namespace: "berg", name },
        spec: { ...spec, containers: list },
      }),
    );
}

function stored(manifest: Fields): Challenge {
  const { object, errors } = validateChallenge(manifest);
  if (!object) throw new Error(`the arbitrary makes invalid Challenges: ${errors.map(formatFieldError).join("; ")}`);
  return object;
}

/** Each field may be there or not. */
function fields(of: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Fields> {
  return fc.record(of, { requiredKeys: [] });
}

interface PortWish {
  port: number;
  type: (typeof portTypes)[number];
  udp: boolean;
  shout: boolean;
  isNamed: boolean;
  appProtocol: string | undefined;
}

const port: fc.Arbitrary<PortWish> = fc.record({
  port: fc.integer({ min: 1, max: 65535 }),
  type: fc.constantFrom(...portTypes),
  udp: fc.boolean(),
  shout: fc.boolean(),
  isNamed: fc.boolean(),
  appProtocol: fc.option(fc.constantFrom("http", "https", "ssh"), { nil: undefined }),
});

// Routes carry TCP only. Names come from the port's place, so that no two ports of a Challenge share an <NAME>_ENDPOINT.
function portManifest(wish: PortWish, container: number, index: number): Fields {
  const isRoute = wish.type.endsWith("Route");
  const protocol = wish.udp && !isRoute ? "udp" : "tcp";
  return {
    port: wish.port,
    type: wish.type,
    protocol: wish.shout ? protocol.toUpperCase() : protocol,
    ...(wish.isNamed && { name: `p-${container}-${index}` }),
    ...(wish.appProtocol && { appProtocol: wish.appProtocol }),
  };
}

const environment = fc.dictionary(
  fc.stringMatching(/^APP_[A-Z0-9_]{1,12}$/),
  fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 30 }),
    fc.constantFrom("", "$(HOME)", "$$", "a=b", "two\nlines"),
    fc.integer(),
    fc.constantFrom(0.5, 1e21, -1.25),
    fc.boolean(),
    fc.constant(null),
  ),
  { maxKeys: 4 },
);

const dynamicFlag = fc.oneof(
  fc.constantFrom("FLAG", "MY_FLAG", "_f.l-ag").map((name) => ({ env: { name } })),
  flagFile("content", ["0444", "0400", "444", "0o440", 0o444]),
  flagFile("executable", ["0111", "0555", 0o111]),
);

function flagFile(way: "content" | "executable", modes: (string | number)[]) {
  const paths = ["/flag", "/home/ctf/flag.txt", "/srv/{entropy}.txt", "/srv/{entropy}/{entropy}", "/usr/bin/get flag"];
  return fc
    .record({ path: fc.constantFrom(...paths), mode: fc.constantFrom(...modes) }, { requiredKeys: ["path"] })
    .map((file) => ({ [way]: file }));
}

/** From little to much: a request is taken from before the limit. */
const amounts: Record<string, (string | number)[]> = {
  cpu: ["100m", "0.25", "500m", 1, "2"],
  memory: ["64Mi", "100M", "0.25Gi", 536870912, "1Gi"],
  "ephemeral-storage": ["100Mi", "500M", "1Gi"],
};

const resources = fc
  .record(
    Object.fromEntries(
      Object.entries(amounts).map(([name, ascending]) => [
        name,
        fc.record({
          request: fc.nat({ max: ascending.length - 1 }),
          more: fc.nat({ max: ascending.length - 1 }),
          asked: fc.constantFrom("request", "limit", "both"),
        }),
      ]),
    ),
    { requiredKeys: [] },
  )
  .map((chosen) => {
    const [requests, limits]: [Fields, Fields] = [{}, {}];
    for (const [name, wish] of Object.entries(chosen)) {
      if (!wish) continue;
      const { request, more, asked } = wish;
      const ascending = amounts[name] ?? [];
      if (asked !== "limit") requests[name] = ascending[request];
      if (asked !== "request") limits[name] = ascending[Math.min(request + more, ascending.length - 1)];
    }
    return { resourceRequests: requests, resourceLimits: limits };
  });

const container = fc.record({
  hostname: fc.stringMatching(/^[a-z]([a-z0-9-]{0,20}[a-z0-9])?$/),
  ports: fc.uniqueArray(port, { maxLength: 4, selector: ({ port: number }) => number }),
  probe: fc.constantFrom("http", "tcp", "exec", "none"),
  resources,
  more: fields({
    environment,
    dynamicFlag,
    additionalCapabilities: fc.uniqueArray(fc.constantFrom("NET_ADMIN", "SYS_PTRACE", "NET_RAW", "CHOWN"), {
      maxLength: 2,
    }),
    runtimeClassName: fc.constantFrom("", "gvisor"),
    egressBandwidth: fc.constantFrom("", "10M", "1G"),
    ingressBandwidth: fc.constantFrom("", "500k", "20M"),
  }),
});

const image = fc.constantFrom(
  "web:1",
  `registry.example.com/ctf/pwn@sha256:${"a".repeat(64)}`,
  "localhost:5000/a/b:v1.2",
);

const containers = fc
  .uniqueArray(fc.tuple(container, image), { minLength: 1, maxLength: 3, selector: ([{ hostname }]) => hostname })
  .map((list) =>
    list.map(([{ hostname, ports, probe, resources: amountsOf, more }, imageName], place) => {
      const manifests = ports.map((wish, index) => portManifest(wish, place, index));
      return {
        hostname,
        image: imageName,
        ports: manifests,
        ...amountsOf,
        ...more,
        ...probeManifest(probe, manifests),
      };
    }),
  );

function probeManifest(kind: "http" | "tcp" | "exec" | "none", ports: Fields[]): Fields {
  const tcp = ports.find(({ protocol }) => String(protocol).toLowerCase() === "tcp");
  if (kind === "exec") return { livenessProbe: { exec: { command: ["true"] }, periodSeconds: 5 } };
  if (kind === "none" || !tcp) return {};
  if (kind === "tcp") return { readinessProbe: { tcpSocket: { port: tcp.port } } };
  return { readinessProbe: { httpGet: { path: "/health", port: tcp.port }, initialDelaySeconds: 1 } };
}
