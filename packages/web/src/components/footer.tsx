import { useMetadata } from "../api/queries.ts";
import { texts } from "../texts.ts";

export function Footer() {
  const { data: metadata } = useMetadata();
  return (
    <footer className="footer">
      <div className="footer-content">
        <span>{metadata?.eventOrganiser && texts.footer.organisedBy(metadata.eventOrganiser)}</span>
        {metadata && <span>{texts.footer.version(metadata.version)}</span>}
      </div>
    </footer>
  );
}
