import { Fragment, type ReactNode } from "react";
import { CopyButton } from "./copy-button.tsx";

interface CopyFieldProps {
  text: string;
  /** In place of the text, for example a link. */
  children?: ReactNode;
}

/** Something to paste elsewhere, with a button that copies it. */
export function CopyField({ text, children }: CopyFieldProps) {
  return (
    <span className="address">
      {children || <Words text={text} />}
      <CopyButton text={text} />
    </span>
  );
}

/** Long commands break between their words: a hostname or a port that is cut in two is hard to read. */
function Words({ text }: { text: string }) {
  return (
    <code className="address-text">
      {text.split(" ").map((word, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: words may repeat, and their order is all they are
        <Fragment key={index}>
          {index > 0 && " "}
          <span className="address-word">{word}</span>
        </Fragment>
      ))}
    </code>
  );
}
