import { Link } from "wouter";
import { BlankState } from "../components/blank-state.tsx";
import { useTitle } from "../components/use-title.ts";
import { texts } from "../texts.ts";

export function NotFoundPage() {
  useTitle(texts.notFound.title);
  return (
    <BlankState title={texts.notFound.title} detail={texts.notFound.detail} isPage>
      <Link href="/challenges" className="button button-primary">
        {texts.notFound.back}
      </Link>
    </BlankState>
  );
}
