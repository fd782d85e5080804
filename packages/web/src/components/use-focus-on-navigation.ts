import { useEffect, useRef } from "react";
import { useLocation } from "wouter";

/**
 * After a click on a link, focus and view go to the top of the new page, as they would with a full page load. Going back is
 * left to the browser, which restores the position.
 */
export function useFocusOnNavigation() {
  const ref = useRef<HTMLElement>(null);
  const [path] = useLocation();
  const shown = useRef(path);
  const isGoingBack = useRef(false);

  useEffect(() => {
    const onPopState = () => {
      isGoingBack.current = true;
    };
    addEventListener("popstate", onPopState);
    return () => removeEventListener("popstate", onPopState);
  }, []);

  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    if (!isGoingBack.current) {
      ref.current?.focus({ preventScroll: true });
      scrollTo(0, 0);
    }
    isGoingBack.current = false;
  }, [path]);

  return ref;
}
