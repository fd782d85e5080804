import type { ReactNode } from "react";
import "../../styles/account.css";

interface AccountPanelProps {
  title: string;
  subtitle?: string | undefined;
  children: ReactNode;
}

/** The frame of sign-in and registration: one narrow panel in the middle. */
export function AccountPanel({ title, subtitle = "", children }: AccountPanelProps) {
  return (
    <div className="sign-in">
      <section className="panel sign-in-panel">
        <div>
          <h1 className="sign-in-title">{title}</h1>
          {subtitle !== "" && <p className="muted">{subtitle}</p>}
        </div>
        {children}
      </section>
    </div>
  );
}

export function LoadingPanel({ title }: { title: string }) {
  return (
    <AccountPanel title={title}>
      <div role="status" className="skeleton skeleton-line" />
      <div className="skeleton skeleton-button" />
    </AccountPanel>
  );
}
