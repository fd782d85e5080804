/**
 * What the client proxy's image is called. The version is for people; what it is made of is what counts, for releases
 * as for development: another executable, or another base image, is another image, and one that is there is right. Pure.
 */
const repository = "berg-tunnel-client";
const hashLength = 12;
/** Of the version: with two hashes behind it, a tag still has room for it. */
const longestVersion = 64;

/** `berg-tunnel-client:0.1.0-4f2a90c1d7be-93feda02f9ed` */
export function imageName(version: string, executableHash: string, baseImageId: string): string {
  // A tag begins with a letter, a digit or an underscore, and has few other signs in it.
  const said = version
    .replace(/[^\w.-]/g, "_")
    .replace(/^[.-]+/, "")
    .slice(0, longestVersion);
  const base = baseImageId.replace(/^sha256:/, "").slice(0, hashLength);
  return `${repository}:${said || "unknown"}-${executableHash.slice(0, hashLength)}-${base}`;
}
