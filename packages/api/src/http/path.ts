/** The path of a request as it was sent. Not by `new URL`, which throws for some that Node accepts, such as `//`. */
export function pathOf(url: string | undefined): string {
  return (url ?? "").split("?", 1)[0] ?? "";
}
