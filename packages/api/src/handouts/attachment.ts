/** Where the file of an attachment comes from. Pure: whether it can be had is found out when somebody asks for it. */
import type { ChallengeSpec } from "@berg/resources";
import { cleanFileName } from "./content-disposition.ts";
import { type ImageReference, parseImageReference } from "./image-reference.ts";

export type Attachment = ChallengeSpec["attachments"][number];

export type AttachmentSource =
  /** On another site: players are sent there. */
  | { kind: "url"; url: string }
  /** Below one of the handout directories. */
  | { kind: "file"; segments: string[] }
  | { kind: "image"; image: ImageReference; pullSecret: string | undefined; isInsecure: boolean };

/** Undefined where it names nothing that can be served. */
export function sourceOf(attachment: Attachment): AttachmentSource | undefined {
  const { downloadUrl, downloadImage } = attachment;
  if (downloadUrl !== undefined) return urlSource(downloadUrl);
  const image = downloadImage === undefined ? undefined : parseImageReference(downloadImage);
  if (!image) return undefined;
  return {
    ...{ kind: "image", image },
    pullSecret: attachment.downloadImagePullSecret,
    isInsecure: attachment.downloadImageInsecure ?? false,
  };
}

/** The name under which players save it. */
export function fileNameOf({ fileName, downloadUrl, downloadImage }: Attachment): string {
  const path =
    downloadUrl === undefined ? downloadImage?.replace(/[:@][^/]*$/, "") : downloadUrl.replace(/[?#].*$/s, "");
  return cleanFileName(fileName || decoded(path?.split("/").at(-1) ?? "") || "");
}

function urlSource(text: string): AttachmentSource | undefined {
  const url = URL.parse(text);
  // Any other scheme, such as `javascript:`, would run in our pages.
  if (url) return /^https?:$/.test(url.protocol) ? { kind: "url", url: url.href } : undefined;
  const segments = relativePath(text);
  return segments && { kind: "file", segments };
}

/** The names on the way to the file. Undefined where they lead out of the directory, or nowhere. */
function relativePath(text: string): string[] | undefined {
  // `//host/file` is on another site.
  if (text.startsWith("//") || text.includes("\\")) return undefined;
  const segments = text
    .replace(/[?#].*$/s, "")
    .replace(/^\//, "")
    .split("/")
    .map(decoded);
  return segments.every(isFileName) ? (segments as string[]) : undefined;
}

function isFileName(name: string | undefined): boolean {
  return name !== undefined && name !== "" && name !== "." && name !== ".." && !/[/\\\0]/.test(name);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
