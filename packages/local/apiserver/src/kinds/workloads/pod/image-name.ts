/** The tag of an image's name: `latest` where it names neither a tag nor a digest, `""` where it names a digest alone. */
export function imageTag(image: string): string {
  const [named = "", digest] = image.split("@", 2);
  const tag = /:([^/:]*)$/.exec(named)?.[1];
  // What cannot be a name has no tag; it is refused elsewhere, or by whoever pulls it.
  if (!isReference(named)) return "";
  return tag ?? (digest === undefined ? "latest" : "");
}

function isReference(name: string): boolean {
  return /^(?:[a-zA-Z0-9.[\]:-]+\/)?[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*(?::[\w][\w.-]{0,127})?$/.test(
    name,
  );
}
