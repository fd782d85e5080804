/** The only place where HTML of the server is put into the page. */
export function ServerHtml({ html }: { html: string }) {
  // biome-ignore lint/security/noDangerouslySetInnerHtml: the server sanitises it (wire.ts: challenge.description)
  return <div className="prose" dangerouslySetInnerHTML={{ __html: html }} />;
}
