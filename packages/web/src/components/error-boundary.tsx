import { Component, type ReactNode } from "react";
import { texts } from "../texts.ts";
import { BlankState } from "./blank-state.tsx";
import { Button } from "./button.tsx";

/** Shows a page that says so where a component throws, instead of nothing at all. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError() {
    return { hasFailed: true };
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <BlankState title={texts.problems.crashedTitle} detail={texts.problems.crashedDetail} isPage>
        <Button look="primary" onClick={() => location.reload()}>
          {texts.problems.reload}
        </Button>
      </BlankState>
    );
  }
}
