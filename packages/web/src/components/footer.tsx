import { useEvent, useMetadata } from "../api/queries.ts";
import { texts } from "../texts.ts";

export function Footer() {
  const { data: metadata } = useMetadata();
  const event = useEvent();
  return (
    <footer className="footer">
      <div className="footer-content">
        <span>{event?.eventOrganiser && texts.footer.organisedBy(event.eventOrganiser)}</span>
        {metadata && metadata.links.length > 0 && (
          <ul className="footer-links" aria-label={texts.footer.links}>
            {metadata.links.map(({ title, url }) => (
              <li key={url}>
                <a href={url} rel="noreferrer">
                  {title}
                </a>
              </li>
            ))}
          </ul>
        )}
        {metadata && <span>{texts.footer.version(metadata.version)}</span>}
      </div>
    </footer>
  );
}
