/** What `berg instance start` says: what was asked for, and what came of it. Pure. */
import type { Paint } from "./paint.ts";
import { printable } from "./printable.ts";
import { addressRow, endsRow, phaseText, type Row, renderRows, troubleRow } from "./render-text.ts";
import type { Session } from "./session.ts";
import type { InstanceView } from "./view.ts";

export interface StartedView extends InstanceView {
  /** Only where it was made here: nobody else could tell it. */
  flag?: string;
  flagPlaces: string[];
}

export function renderAsked(view: StartedView, isFlagGiven: boolean, paint: Paint): string {
  const { name, challenge, owner } = view;
  const rows: Row[] = [["owner", owner], flagRow(view, isFlagGiven, paint)];
  return `${paint("bold", name)}: an instance of ${challenge}\n${renderRows(rows, paint)}`;
}

function flagRow({ flag, flagPlaces }: StartedView, isFlagGiven: boolean, paint: Paint): Row {
  if (flagPlaces.length === 0) {
    return ["flag", `that of the Challenge${isFlagGiven ? ": no container gets the one that you gave" : ""}`];
  }
  const what =
    flag === undefined ? "as given" : `${paint("bold", shownFlag(flag))}  (made for this instance; shown only now)`;
  return ["flag", what, ...flagPlaces.map((place) => `in ${printable(place)}`)];
}

/** As it is, or with escapes where it would do something to the terminal. */
export function shownFlag(flag: string): string {
  return printable(flag) === flag ? flag : printable(JSON.stringify(flag));
}

export function renderStarted(view: StartedView, now: number, session: Texts, paint: Paint): string {
  const { name, phase, ending } = view;
  const isRunning = phase === "Running" && !ending;
  const rows: Row[] = [
    ["phase", phaseText(view, paint)],
    troubleRow(view),
    addressRow(view.addresses, paint),
    endsRow(view, now),
    ...(isRunning ? [["to renew", session.command(`renew ${name}`)] satisfies Row] : []),
    ["to stop", session.command(`stop ${name}`)],
  ];
  return renderRows(rows, paint);
}

type Texts = Pick<Session, "command">;
