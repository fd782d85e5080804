import type { ComponentProps, ReactNode } from "react";

interface ButtonProps extends Omit<ComponentProps<"button">, "className" | "disabled"> {
  look?: "primary" | "secondary" | "danger" | "danger-outline" | "quiet";
  /** What it shows while its action is under way. Clicks do nothing then, but it keeps the focus. */
  pendingText?: string;
  isPending?: boolean;
  isDisabled?: boolean;
  children: ReactNode;
}

export function Button({
  look = "secondary",
  isPending = false,
  isDisabled = false,
  pendingText,
  onClick,
  children,
  ...rest
}: ButtonProps) {
  const isInert = isPending || isDisabled;
  return (
    <button
      type="button"
      {...rest}
      className={`button button-${look}`}
      aria-disabled={isInert || undefined}
      onClick={(event) => {
        if (!isInert) onClick?.(event);
      }}
    >
      {pendingText === undefined ? (
        children
      ) : (
        // Both are laid out, so that the button is as wide as the longer one and nothing beside it moves.
        <span className="button-texts">
          <span className={isPending ? "is-hidden" : undefined}>{children}</span>
          <span className={isPending ? undefined : "is-hidden"}>{pendingText}</span>
        </span>
      )}
    </button>
  );
}
