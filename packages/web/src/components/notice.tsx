import type { ReactNode } from "react";

interface NoticeProps {
  tone?: "info" | "warning" | "danger";
  title?: string;
  children?: ReactNode;
  /** Whether a screen reader says it at once. */
  isAlert?: boolean;
}

/** A framed message inside a page. */
export function Notice({ tone = "info", title, children, isAlert = false }: NoticeProps) {
  return (
    <div className={`notice notice-${tone}`} role={isAlert ? "alert" : undefined}>
      {title !== undefined && <p className="notice-title">{title}</p>}
      {children}
    </div>
  );
}
