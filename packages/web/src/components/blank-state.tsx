import type { ReactNode } from "react";

interface BlankStateProps {
  title: string;
  detail: string;
  /** Whether the title is the heading of the whole page. */
  isPage?: boolean;
  children?: ReactNode;
}

/** What a page or a list shows where it has nothing to show: why, and what to do now. */
export function BlankState({ title, detail, isPage = false, children }: BlankStateProps) {
  const Heading = isPage ? "h1" : "h2";
  return (
    <div className="blank-state">
      <Heading className="blank-state-title">{title}</Heading>
      <p className="muted">{detail}</p>
      {children && <div className="blank-state-actions">{children}</div>}
    </div>
  );
}
