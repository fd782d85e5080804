import { type ReactNode, useEffect, useId, useRef } from "react";
import { Button } from "./button.tsx";

interface ConfirmDialogProps {
  title: string;
  children: ReactNode;
  confirmText: string;
  cancelText: string;
  /** Whether something has to be filled in first. */
  isDisabled?: boolean;
  onConfirm: () => void;
  /** Called after either answer: time to stop rendering it. */
  onClose: () => void;
}

/**
 * A question before something that cannot be undone. It opens when it is rendered. The browser keeps the focus inside and
 * gives it back when the dialog closes, so it has to be closed before it is removed.
 */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, children, confirmText, cancelText, isDisabled = false, onConfirm, onClose } = props;
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => ref.current?.showModal(), []);
  const close = () => ref.current?.close();
  return (
    <dialog ref={ref} className="dialog" aria-labelledby={titleId} onClose={onClose}>
      <h2 id={titleId} className="dialog-title">
        {title}
      </h2>
      {children}
      <div className="dialog-actions">
        <Button onClick={close}>{cancelText}</Button>
        <Button
          look="danger"
          isDisabled={isDisabled}
          onClick={() => {
            close();
            onConfirm();
          }}
        >
          {confirmText}
        </Button>
      </div>
    </dialog>
  );
}
