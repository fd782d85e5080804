import { Component, type ReactNode } from "react";
import { texts } from "../texts.ts";
import { BlankState } from "./blank-state.tsx";
import { Button } from "./button.tsx";

/** Shows a page that says so where a component throws, instead of nothing at all. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error: error ?? "unknown" };
  }

  override render() {
    const { error } = this.state;
    if (error === undefined) return this.props.children;
    const [title, detail] = isOfLoading(error)
      ? [texts.problems.outdatedTitle, texts.problems.outdatedDetail]
      : [texts.problems.crashedTitle, texts.problems.crashedDetail];
    return (
      <BlankState title={title} detail={detail} isPage>
        <Button look="primary" onClick={() => location.reload()}>
          {texts.problems.reload}
        </Button>
      </BlankState>
    );
  }
}

/** A page that is loaded when it is opened may be gone after an update. Each browser has its own words for that. */
function isOfLoading(error: unknown): boolean {
  return /dynamically imported module|importing a module|preload/i.test(String(error));
}
