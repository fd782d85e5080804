import type { SignInPreview, SignInProvider } from "@berg/api/wire";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import { signInPreviewQuery, signInProvidersQuery, useSignIn } from "../../api/account.ts";
import { ApiProblem } from "../../api/client.ts";
import { signInOptionsQuery, usePlayer } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { Notice } from "../../components/notice.tsx";
import { describeProblem, ProblemNotice } from "../../components/problem-notice.tsx";
import { useTitle } from "../../components/use-title.ts";
import { registrationState } from "../../logic/registration.ts";
import { accountTexts } from "../../texts-account.ts";
import { AccountPanel, LoadingPanel } from "./account-panel.tsx";
import { LostLink } from "./lost-link.tsx";

/** Opening a link does not sign in: chat programs open links for a preview. The player has to confirm the name. */
export function SignInPage() {
  useTitle(accountTexts.signIn.title);
  const token = useTokenFromFragment();
  return token === "" ? <WithoutToken /> : <WithToken key={token} token={token} />;
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
  const { data: options } = useQuery(signInOptionsQuery);
  const { data: providers = [] } = useQuery(signInProvidersQuery);
  const hasProviders = !player && providers.length > 0;
  const registration = options && registrationState(options);
  const canRegister = registration === "open" || registration === "later";
  return (
    <AccountPanel
      title={accountTexts.signIn.title}
      subtitle={options?.eventName && accountTexts.signIn.event(options.eventName)}
    >
      <SignInFailureNotice />
      {player && (
        <Notice>
          <p>{accountTexts.signIn.alreadyAs(player.name)}</p>
        </Notice>
      )}
      {hasProviders && <ProviderButtons providers={providers} />}
      {hasProviders ? (
        <p className="muted">{accountTexts.signIn.orLink}</p>
      ) : (
        <p>
          {accountTexts.signIn.noTokenDetail} {registration === "closed" && accountTexts.signIn.noTokenClosed}
        </p>
      )}
      {!hasProviders && <LocalHint />}
      {player ? <ToChallenges /> : <LostLink />}
      {!player && canRegister && (
        <div className="panel-note sign-in-register">
          <span>{accountTexts.signIn.newHere}</span>
          <Link href="/register" className={`button ${hasProviders ? "button-secondary" : "button-primary"}`}>
            {accountTexts.registration.title}
          </Link>
        </div>
      )}
    </AccountPanel>
  );
}

/** Links and not requests: the browser goes to the provider, and comes back signed in. */
function ProviderButtons({ providers }: { providers: SignInProvider[] }) {
  return providers.map(({ name, title }) => (
    <a key={name} href={`/api/sign-in/${encodeURIComponent(name)}`} className="button button-primary">
      {accountTexts.signIn.withProvider(title)}
    </a>
  ));
}

/** Why a sign-in at a provider failed: the API sends the browser here with a code. */
function SignInFailureNotice() {
  const code = new URLSearchParams(location.search).get("error");
  if (code === null) return null;
  const { failures } = accountTexts.signIn;
  const { title, detail } = Object.hasOwn(failures, code)
    ? failures[code as keyof typeof failures]
    : failures.internal_error;
  return (
    <Notice tone="warning" title={title} isAlert>
      <p>{detail}</p>
    </Notice>
  );
}

function WithToken({ token }: { token: string }) {
  const preview = useQuery(signInPreviewQuery(token));
  if (preview.data) return <Confirmation token={token} preview={preview.data} />;
  if (preview.error) return <Failure error={preview.error} />;
  return <LoadingPanel title={accountTexts.signIn.checking} />;
}

function Confirmation({ token, preview: { name, replaces } }: { token: string; preview: SignInPreview }) {
  const signIn = useSignIn();
  const [, navigate] = useLocation();
  const confirm = () => signIn.mutate(token, { onSuccess: () => navigate("/challenges", { replace: true }) });
  return (
    <AccountPanel title={accountTexts.signIn.heading(name)}>
      <p>{accountTexts.signIn.detail}</p>
      {replaces !== null && (
        <Notice tone="warning">
          <p>{accountTexts.signIn.replaces(replaces)}</p>
        </Notice>
      )}
      <ProblemNotice error={signIn.error} />
      <Button look="primary" isPending={signIn.isPending} pendingText={accountTexts.signIn.pending} onClick={confirm}>
        {accountTexts.signIn.confirm(name)}
      </Button>
    </AccountPanel>
  );
}

function Failure({ error }: { error: Error }) {
  // The server says that a link is not valid in several ways; a player needs to know only one thing about all of them.
  const isLinkWrong = error instanceof ApiProblem && [400, 401, 403, 404, 410].includes(error.status);
  if (!isLinkWrong) {
    const { title } = describeProblem(error);
    return (
      <AccountPanel title={title}>
        <ProblemNotice error={error} />
      </AccountPanel>
    );
  }
  return (
    <AccountPanel title={accountTexts.signIn.failed}>
      <p>{accountTexts.signIn.failedDetail}</p>
      <LocalHint />
      <LostLink />
      <ToChallenges />
    </AccountPanel>
  );
}

function ToChallenges() {
  return (
    <Link href="/challenges" className="button button-secondary">
      {accountTexts.signIn.toChallenges}
    </Link>
  );
}

/** On one's own computer, the link is in the terminal. */
function LocalHint() {
  const isLocal = /(^|\.)localhost$|^127\./.test(location.hostname);
  return isLocal && <p className="muted">{accountTexts.signIn.noTokenLocal}</p>;
}
