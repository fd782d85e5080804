import type { Page } from "@berg/api/wire";
import { usePages } from "../api/queries.ts";
import { problemOf, QueryProblem } from "../components/query-problem.tsx";
import { ServerHtml } from "../components/server-html.tsx";
import { useTitle } from "../components/use-title.ts";
import { findPage } from "../logic/organiser-pages.ts";
import { texts } from "../texts.ts";
import { ChallengesPage } from "./challenges/challenges-page.tsx";
import { NotFoundPage } from "./not-found-page.tsx";

/** The page that the organiser wrote for this address. Without one, `/` is the list of challenges. */
export function OrganiserPage({ path }: { path: string }) {
  const pages = usePages();
  const page = pages.data && findPage(pages.data, path);
  if (page) return <Content page={page} />;
  if (pages.data) return path === "/" ? <ChallengesPage /> : <NotFoundPage />;
  if (problemOf(pages)) return <QueryProblem query={pages} isPage />;
  return (
    <div role="status" className="organiser-page">
      <span className="visually-hidden">{texts.organiserPage.loading}</span>
      <div className="skeleton skeleton-title" />
      <div className="skeleton skeleton-text" />
    </div>
  );
}

function Content({ page: { title, content } }: { page: Page }) {
  useTitle(title);
  return (
    <article className="organiser-page">
      <h1 className="page-title">{title}</h1>
      <ServerHtml html={content} />
    </article>
  );
}
