import type { AdminInstance } from "@berg/api/wire";
import { useChallengeTitle } from "../../api/queries.ts";
import { useServerNow } from "../../api/server-time.ts";
import { SortIcon } from "../../components/icons.tsx";
import { StateDot } from "../../components/state-dot.tsx";
import { Time } from "../../components/time.tsx";
import type { AdminQuery, InstanceSort } from "../../logic/admin-query.ts";
import { formatCountdown } from "../../logic/countdown.ts";
import { isEnding, stateOf, timeLeft } from "../../logic/instance-state.ts";
import { texts } from "../../texts.ts";
import { adminTexts } from "../../texts-admin.ts";

interface InstanceTableProps {
  instances: AdminInstance[];
  query: AdminQuery;
  /** Whether the rows are those of an earlier query. */
  isStale: boolean;
  onSort: (sort: InstanceSort) => void;
  onSelect: (id: string) => void;
}

const columns: InstanceSort[] = ["challenge", "phase", "owner", "startedAt", "timeout"];

export function InstanceTable({ instances, query, isStale, onSort, onSelect }: InstanceTableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by the keyboard
    <section className="table-scroll panel" aria-label={adminTexts.caption} tabIndex={0} aria-busy={isStale}>
      <table className="instance-table">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col" aria-sort={ariaSort(query, column)}>
                <button type="button" className="sort-button" onClick={() => onSort(column)}>
                  {adminTexts.columns[column]}
                  <SortIcon />
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {instances.map((instance) => (
            <Row key={instance.id} instance={instance} onSelect={onSelect} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({ instance, onSelect }: { instance: AdminInstance; onSelect: (id: string) => void }) {
  const { id, phase, reason, startedAt } = instance;
  const challenge = useChallengeTitle(instance.name);
  const owner = instance.ownerName ?? adminTexts.unknownOwner;
  return (
    <tr>
      <th scope="row">
        <button
          type="button"
          className="row-button"
          aria-label={adminTexts.detailsOf(challenge, owner)}
          title={challenge}
          disabled={id === null}
          onClick={() => id !== null && onSelect(id)}
        >
          {challenge}
        </button>
      </th>
      <td>
        <span className="phase">
          <StateDot state={stateOf(instance)} />
          {phase}
          {reason !== null && reason !== "Ready" && <span className="phase-reason">{reason}</span>}
        </span>
      </td>
      <td title={owner}>{owner}</td>
      <td className="tabular">{startedAt !== null && <Time at={startedAt} />}</td>
      <td className="tabular">
        <TimeLeft instance={instance} />
      </td>
    </tr>
  );
}

function TimeLeft({ instance }: { instance: AdminInstance }) {
  const now = useServerNow();
  if (instance.terminatedAt !== null) {
    return (
      <span className="muted">
        {adminTexts.ended} <Time at={instance.terminatedAt} />
      </span>
    );
  }
  const left = timeLeft(instance, now);
  if (left === undefined) return texts.instance.noEnd;
  return <span className={isEnding(instance, now) ? "is-ending" : undefined}>{formatCountdown(left)}</span>;
}

function ariaSort({ sort, order }: AdminQuery, column: InstanceSort): "ascending" | "descending" | undefined {
  if (sort !== column) return undefined;
  return order === "asc" ? "ascending" : "descending";
}
