/** The checks in which the embedded control plane is not yet as the real one, and what it does instead. */
export const differences: Readonly<Record<string, string>> = {
  "a field that is said twice, in JSON and in YAML":
    "of YAML it says which field is told twice, in the words that are used for JSON, and not in which line",
  "patches applied here give what the server makes of them":
    "our patches are stricter: what is not there cannot be replaced, copied or tested for null, and an index is a plain number; a patch that makes no sense is the client's mistake (400) and not the server's (500)",
  "logs say why there are none": "no pod has logs as long as nodes are simulated",
  "are rounded up to thousandths in a resource list": "amounts below a thousandth are kept as they are",
  "are refused alike": "amounts without a digit are refused, where the real one takes them for 0",
  "too large for the store, which the server only finds out on the way":
    "an object may be as large as a request, 3 MiB; etcd takes half of that",
  "an old server, asked in the old way, serves the same": "37 kinds are served, and the check wants 50",
  "somebody may be acted for by those who may": "nobody can be acted for: such requests get 501",
  "under a quota of CPU every container must say what it wants":
    "what is used of a quota is counted a moment later, and not with the answer",
  "goes with its objects, and comes back without them":
    "while a kind goes its objects can no longer be created, as there, but that is a 405",
};
