/** The header that names a downloaded file (RFC 6266), whatever its author called it. */

const longestName = 180;

export function contentDisposition(fileName: string): string {
  const name = cleanFileName(fileName);
  const ascii = name
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^\x20-\x7e]/g, "_")
    .replaceAll("%", "_");
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encodeRfc8187(name)}`;
}

/** Without what means something else than a name to a shell, a file system or a terminal. */
export function cleanFileName(text: string): string {
  const name = text
    // Control characters and those that change the direction of text: `exe.txt` could be shown for `txt.exe`.
    .replaceAll(/[\p{C}\u2028\u2029]/gu, "")
    .replaceAll(/[/\\<>:"|?*]/g, "_")
    // A hidden file, or `..`.
    .replace(/^[.\s]+/, "_")
    .replace(/[.\s]+$/, "");
  return [...name].slice(0, longestName).join("") || "download";
}

function encodeRfc8187(text: string): string {
  return encodeURIComponent(text).replaceAll(/['()*!]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}
