/** What `/version` says: the Kubernetes whose API this is, so that clients know what to expect; and that it is ours. */
import { arch, platform, versions } from "node:process";

const major = "1";
const minor = "36";

export const version = {
  major,
  minor,
  emulationMajor: major,
  emulationMinor: minor,
  minCompatibilityMajor: major,
  minCompatibilityMinor: "35",
  gitVersion: `v${major}.${minor}.4+berg`,
  gitCommit: "",
  gitTreeState: "",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: `node${versions.node}`,
  compiler: "v8",
  platform: `${platform}/${arch === "x64" ? "amd64" : arch}`,
};
