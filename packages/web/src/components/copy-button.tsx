import { useEffect, useState } from "react";
import { systemClock } from "../clock.ts";
import { texts } from "../texts.ts";
import { CheckIcon, CopyIcon } from "./icons.tsx";

const showCopiedForMs = 2_000;

export function CopyButton({ text }: { text: string }) {
  const [isCopied, setIsCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    return systemClock.setTimer(showCopiedForMs, () => setIsCopied(false));
  }, [isCopied]);
  return (
    <>
      <button
        type="button"
        className={isCopied ? "copy-button is-copied" : "copy-button"}
        aria-label={texts.instance.copyLabel(text)}
        title={texts.instance.copy}
        onClick={() => {
          void copyText(text).then(setIsCopied);
        }}
      >
        {isCopied ? <CheckIcon /> : <CopyIcon />}
      </button>
      <span className="visually-hidden" role="status">
        {isCopied && texts.instance.copied}
      </span>
    </>
  );
}

/** Browsers give the clipboard to secure pages only; Berg on a laptop may be opened over plain HTTP from another one. */
async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
  }
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "visually-hidden";
  const focused = document.activeElement;
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
