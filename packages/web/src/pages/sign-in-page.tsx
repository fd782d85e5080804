import type { SignInPreview } from "@berg/api/wire";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import { ApiProblem } from "../api/client.ts";
import { useSignIn } from "../api/mutations.ts";
import { signInPreviewQuery, usePlayer } from "../api/queries.ts";
import { Button } from "../components/button.tsx";
import { Notice } from "../components/notice.tsx";
import { describeProblem, ProblemNotice } from "../components/problem-notice.tsx";
import { useTitle } from "../components/use-title.ts";
import { texts } from "../texts.ts";

/** Opening a link signs nobody in: a preview of a chat program opens it, too. The player has to confirm the name. */
export function SignInPage() {
  useTitle(texts.signIn.title);
  const token = useTokenFromFragment();
  return <div className="sign-in">{token === "" ? <WithoutToken /> : <WithToken key={token} token={token} />}</div>;
}

/** Takes the token out of the address at once, so that it stays in no history and on no screenshot. */
function useTokenFromFragment(): string {
  const [token, setToken] = useState(() => location.hash.slice(1));
  useEffect(() => {
    const take = () => {
      const fragment = location.hash.slice(1);
      if (fragment === "") return;
      setToken(fragment);
      history.replaceState(history.state, "", location.pathname);
    };
    take();
    // A second link opened in the same tab changes nothing but the fragment.
    addEventListener("hashchange", take);
    return () => removeEventListener("hashchange", take);
  }, []);
  return token;
}

function WithoutToken() {
  const { data: player } = usePlayer();
  return (
    <Panel title={texts.signIn.noToken}>
      <p>{texts.signIn.noTokenDetail}</p>
      <p className="muted">{texts.signIn.noTokenLocal}</p>
      {player && (
        <>
          <Notice>
            <p>{texts.signIn.alreadyAs(player.name)}</p>
          </Notice>
          <ToChallenges />
        </>
      )}
    </Panel>
  );
}

function WithToken({ token }: { token: string }) {
  const preview = useQuery(signInPreviewQuery(token));
  if (preview.data) return <Confirmation token={token} preview={preview.data} />;
  if (preview.error) return <Failure error={preview.error} />;
  return (
    <Panel title={texts.signIn.checking}>
      <div className="skeleton skeleton-line" />
      <div className="skeleton skeleton-button" />
    </Panel>
  );
}

function Confirmation({ token, preview: { name, replaces } }: { token: string; preview: SignInPreview }) {
  const signIn = useSignIn();
  const [, navigate] = useLocation();
  const confirm = () => signIn.mutate(token, { onSuccess: () => navigate("/challenges", { replace: true }) });
  return (
    <Panel title={texts.signIn.heading(name)}>
      <p>{texts.signIn.detail}</p>
      {replaces !== null && (
        <Notice tone="warning">
          <p>{texts.signIn.replaces(replaces)}</p>
        </Notice>
      )}
      <ProblemNotice error={signIn.error} />
      <Button look="primary" isPending={signIn.isPending} pendingText={texts.signIn.pending} onClick={confirm}>
        {texts.signIn.confirm(name)}
      </Button>
    </Panel>
  );
}

function Failure({ error }: { error: Error }) {
  // The server says that a link is not valid in several ways; a player needs to know only one thing about all of them.
  const isLinkWrong = error instanceof ApiProblem && [400, 401, 403, 404, 410].includes(error.status);
  if (!isLinkWrong) {
    const { title } = describeProblem(error);
    return (
      <Panel title={title}>
        <ProblemNotice error={error} />
      </Panel>
    );
  }
  return (
    <Panel title={texts.signIn.failed}>
      <p>{texts.signIn.failedDetail}</p>
      <p className="muted">{texts.signIn.noTokenLocal}</p>
      <ToChallenges />
    </Panel>
  );
}

function Panel({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="panel sign-in-panel">
      <h1 className="sign-in-title">{title}</h1>
      {children}
    </section>
  );
}

function ToChallenges() {
  return (
    <Link href="/challenges" className="button button-secondary">
      {texts.signIn.toChallenges}
    </Link>
  );
}
