import { type ReactNode, useState } from "react";
import { Button } from "./button.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";

interface ConfirmButtonProps {
  text: string;
  pendingText: string;
  isPending: boolean;
  look?: "secondary" | "danger";
  label?: string;
  title: string;
  /** What is lost by going on. */
  children: ReactNode;
  confirmText: string;
  cancelText: string;
  onConfirm: () => void;
}

/** A button that asks before it acts. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { text, pendingText, isPending, look, label, title, children, confirmText, cancelText, onConfirm } = props;
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <Button
        {...(look && { look })}
        {...(label !== undefined && { "aria-label": label })}
        isPending={isPending}
        pendingText={pendingText}
        onClick={() => setIsAsking(true)}
      >
        {text}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={title}
          confirmText={confirmText}
          cancelText={cancelText}
          onClose={() => setIsAsking(false)}
          onConfirm={onConfirm}
        >
          {children}
        </ConfirmDialog>
      )}
    </>
  );
}
