/** The instances of all players, for organisers. What is shown stands in the address, so that it can be shared. */
import { useState } from "react";
import { Link, useSearchParams } from "wouter";
import { useAdminInstances } from "../../api/admin.ts";
import { usePlayer } from "../../api/queries.ts";
import { BlankState } from "../../components/blank-state.tsx";
import { Button } from "../../components/button.tsx";
import { problemOf, QueryProblem } from "../../components/query-problem.tsx";
import { useTitle } from "../../components/use-title.ts";
import {
  type AdminQuery,
  changeAdminQuery,
  formatAdminQuery,
  pageCount,
  parseAdminQuery,
  sortBy,
} from "../../logic/admin-query.ts";
import { texts } from "../../texts.ts";
import { adminTexts } from "../../texts-admin.ts";
import { InstanceDetails } from "./instance-details.tsx";
import { InstanceFilters } from "./instance-filters.tsx";
import { InstanceTable } from "./instance-table.tsx";
import "../../styles/admin.css";

export function InstancesPage() {
  useTitle(adminTexts.title);
  const player = usePlayer();
  if (player.data?.roles.includes("admin")) return <List />;
  if (problemOf(player)) return <QueryProblem query={player} isPage />;
  if (player.data === undefined) return <Loading />;
  return (
    <BlankState title={adminTexts.deniedTitle} detail={adminTexts.deniedDetail} isPage>
      <Link href="/challenges" className="button button-primary">
        {texts.notFound.back}
      </Link>
    </BlankState>
  );
}

function List() {
  const [params, setParams] = useSearchParams();
  const query = parseAdminQuery(params);
  const instances = useAdminInstances(query);
  const [selectedId, setSelectedId] = useState<string>();
  const show = (next: AdminQuery) => setParams(formatAdminQuery(next), { replace: true });
  const change = (changes: Partial<AdminQuery>) => show(changeAdminQuery(query, changes));
  const { data } = instances;
  const selected = data?.items.find(({ id }) => id === selectedId);
  const isFiltered = query.search !== "" || query.challenge !== "" || query.phase !== "";
  return (
    <>
      <h1 className="page-title">{adminTexts.title}</h1>
      <InstanceFilters query={query} onChange={change}>
        {data && adminTexts.count(data.total)}
      </InstanceFilters>
      {problemOf(instances) && <QueryProblem query={instances} />}
      {!data && !problemOf(instances) && <LoadingRows />}
      {data && data.items.length > 0 && (
        <>
          <InstanceTable
            instances={data.items}
            query={query}
            isStale={instances.isPlaceholderData}
            onSort={(sort) => show(sortBy(query, sort))}
            onSelect={setSelectedId}
          />
          <Pagination page={query.page} pages={pageCount(data)} onChange={(page) => change({ page })} />
        </>
      )}
      {data?.items.length === 0 && (
        <BlankState
          title={isFiltered ? adminTexts.noMatchTitle : adminTexts.emptyTitle}
          detail={isFiltered ? texts.challenges.noMatchDetail : adminTexts.emptyDetail}
        >
          {isFiltered && (
            <Button onClick={() => change({ search: "", challenge: "", phase: "" })}>{adminTexts.clear}</Button>
          )}
        </BlankState>
      )}
      {selected && <InstanceDetails key={selected.id} instance={selected} onClose={() => setSelectedId(undefined)} />}
    </>
  );
}

function Pagination({ page, pages, onChange }: { page: number; pages: number; onChange: (page: number) => void }) {
  if (pages === 1 && page === 1) return null;
  return (
    <nav className="pagination" aria-label={adminTexts.pages}>
      <Button isDisabled={page <= 1} onClick={() => onChange(page - 1)}>
        {adminTexts.previous}
      </Button>
      <span className="muted tabular">{adminTexts.pageOf(page, pages)}</span>
      <Button isDisabled={page >= pages} onClick={() => onChange(page + 1)}>
        {adminTexts.next}
      </Button>
    </nav>
  );
}

function Loading() {
  return (
    <>
      <h1 className="page-title">{adminTexts.title}</h1>
      <LoadingRows />
    </>
  );
}

function LoadingRows() {
  return (
    <div role="status" className="instance-table-loading">
      <span className="visually-hidden">{adminTexts.loading}</span>
      {["first", "second", "third", "fourth", "fifth"].map((key) => (
        <div key={key} className="skeleton skeleton-row" />
      ))}
    </div>
  );
}
