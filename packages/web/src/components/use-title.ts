import { useEffect } from "react";
import { useEvent } from "../api/queries.ts";
import { texts } from "../texts.ts";

/** Sets the title of the tab while the calling page is shown. */
export function useTitle(page: string): void {
  const event = useEvent()?.eventName || texts.eventFallback;
  useEffect(() => {
    document.title = texts.title(page, event);
  }, [page, event]);
}
