/** Instances as a table, a line each. Pure. */
import { type Paint, plain } from "./paint.ts";
import { connectText, leftText, phaseText } from "./render-text.ts";
import type { InstanceView } from "./view.ts";

export interface TableOptions {
  /** With a column for the namespace. */
  allNamespaces: boolean;
  wide: boolean;
  paint: Paint;
}

interface Column {
  title: string;
  text(view: InstanceView, now: number, paint: Paint): string;
}

const namespace: Column = { title: "NAMESPACE", text: (view) => view.namespace };

const usual: Column[] = [
  { title: "NAME", text: ({ name }) => name },
  { title: "CHALLENGE", text: ({ challenge }) => challenge },
  { title: "PHASE", text: (view, _, paint) => phaseText(view, paint) },
  { title: "LEFT", text: leftText },
];

const address: Column = {
  title: "ADDRESS",
  text({ addresses: [first, ...more] }) {
    if (first === undefined) return "-";
    return more.length === 0 ? connectText(first) : `${connectText(first)} (+${more.length})`;
  },
};

const wide: Column[] = [
  { title: "REASON", text: ({ reason = "-" }) => reason },
  { title: "OWNER", text: ({ owner }) => owner },
  { title: "RUNS IN", text: ({ instanceNamespace = "-" }) => instanceNamespace },
  { title: "ADDRESSES", text: ({ addresses }) => addresses.map(connectText).join(", ") || "-" },
];

/** Keeps its widths, so that lines that come later stand below those before them. */
export class Table {
  readonly #columns: Column[];
  readonly #paint: Paint;
  #widths: number[];

  constructor(options: TableOptions) {
    const { allNamespaces, paint } = options;
    this.#columns = [...(allNamespaces ? [namespace] : []), ...usual, ...(options.wide ? wide : [address])];
    this.#paint = paint;
    this.#widths = this.#columns.map(({ title }) => title.length);
  }

  /** The heading, and a line for each. */
  render(views: readonly InstanceView[], now: number): string {
    this.fit(views, now);
    const titles = this.#columns.map(({ title }) => title);
    return this.#line(titles, titles) + views.map((view) => this.renderLine(view, now)).join("");
  }

  renderLine(view: InstanceView, now: number): string {
    this.fit([view], now);
    const texts = this.#columns.map((column) => column.text(view, now, plain));
    return this.#line(
      texts,
      this.#columns.map((column) => column.text(view, now, this.#paint)),
    );
  }

  /** Makes room for these, which come later. */
  fit(views: readonly InstanceView[], now: number): void {
    this.#widths = this.#columns.map(({ text }, at) =>
      Math.max(this.#widths[at] ?? 0, ...views.map((view) => text(view, now, plain).length)),
    );
  }

  /** By the width of the text, of which colours are no part. */
  #line(texts: string[], painted: string[]): string {
    const cells = painted.map((cell, at) => cell + " ".repeat((this.#widths[at] ?? 0) - (texts[at] ?? "").length));
    return `${cells.join("   ").trimEnd()}\n`;
  }
}
