/** What organisers have written before the pages are opened: beside the samples of `berg up`. */

export const registrationCode = "correct horse";

export const defaultCompetition = {
  title: "Alpine CTF",
  organiser: "The Alpine Club",
  start: "2026-01-01T00:00:00Z",
  registration: { mode: "closed" },
};

/** By name. */
export const challenges = {
  /** Fails, since a capability that pods must not have is refused. */
  broken: {
    displayName: "Broken",
    author: "Berg",
    description: "Its author has asked for more than a challenge may have, so that it cannot start.",
    categories: ["misc"],
    difficulty: "hard",
    containers: [{ hostname: "web", image: "web:1", additionalCapabilities: ["SYS_ADMIN"] }],
  },
  /** Shared by all players; with everything that an author can write. */
  archive: {
    displayName: "The archive of the mountain railway, volume two: timetables, tickets and other lost property",
    author: "Anneliese Obergruber-Hinterhuber",
    description: [
      "The archive answers **one question** at a time. Ask it politely:",
      "",
      "```",
      "printf 'LIST tickets\\n' | nc archive.example.com 4000",
      "```",
      "",
      "| column | meaning |",
      "| --- | --- |",
      "| `id` | number of the ticket |",
      "| `from` | station of departure |",
      "",
      "> Tickets are valid on the day of issue only.",
    ].join("\n"),
    categories: ["forensics", "misc"],
    tags: ["archive", "sqlite", "timetables", "a-rather-long-tag"],
    difficulty: "leet",
    flagFormat: "flag{...}",
    connectionInfo: "nc archive.example.com 4000",
    attachments: [
      { fileName: "tickets.sqlite3", downloadUrl: "https://example.com/tickets.sqlite3" },
      { fileName: "timetable-of-the-year-1987-with-corrections.pdf", downloadUrl: "https://example.com/timetable.pdf" },
    ],
  },
  /** Ends after a minute. */
  brief: {
    displayName: "Brief",
    author: "Berg",
    description: "An instance of it lives for a minute.",
    categories: ["web"],
    difficulty: "easy",
    timeout: "60s",
    containers: [
      {
        hostname: "web",
        image: "web:1",
        ports: [{ name: "web", port: 8080, appProtocol: "http", type: "publicHttpRoute" }],
      },
    ],
  },
  /** Nothing but a name. */
  bare: {},
};

/** By name. */
export const pages = {
  rules: {
    path: "/rules",
    title: "Rules",
    content: [
      "Play fair, and **attack only your own instance**.",
      "",
      "## Flags",
      "",
      "1. A flag looks like `flag{...}`.",
      "2. Do not share flags with other teams.",
      "",
      "## Help",
      "",
      "Ask in the [chat](https://example.com/chat). We answer between 9 and 22 o'clock.",
    ].join("\n"),
  },
};

export const playerAttributes = [
  {
    name: "country",
    title: "Country",
    description: "For the ranking of each country.",
    public: true,
    required: true,
    values: [
      { value: "CH", title: "Switzerland" },
      { value: "AT", title: "Austria" },
    ],
  },
  {
    name: "shirt",
    title: "T-shirt size",
    values: [{ value: "S" }, { value: "M" }, { value: "L" }],
  },
];
