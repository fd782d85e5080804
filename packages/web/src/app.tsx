/** The frame around every page, and which page belongs to which address. */
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { Redirect, Route, Switch } from "wouter";
import type { LiveConnection } from "./api/live.ts";
import { LiveContext } from "./api/live-context.ts";
import { ConnectionStatus } from "./components/connection-status.tsx";
import { ErrorBoundary } from "./components/error-boundary.tsx";
import { Footer } from "./components/footer.tsx";
import { Header } from "./components/header.tsx";
import { useFocusOnNavigation } from "./components/use-focus-on-navigation.ts";
import { ChallengePage } from "./pages/challenge/challenge-page.tsx";
import { ChallengesPage } from "./pages/challenges/challenges-page.tsx";
import { NotFoundPage } from "./pages/not-found-page.tsx";
import { SignInPage } from "./pages/sign-in-page.tsx";
import { texts } from "./texts.ts";

export function App({ queries, live }: { queries: QueryClient; live: LiveConnection }) {
  return (
    <ErrorBoundary>
      <QueryClientProvider client={queries}>
        <LiveContext value={live}>
          <Frame />
        </LiveContext>
      </QueryClientProvider>
    </ErrorBoundary>
  );
}

function Frame() {
  const mainRef = useFocusOnNavigation();
  return (
    <>
      <a className="skip-link" href="#main">
        {texts.header.skip}
      </a>
      <Header />
      <main id="main" className="page" ref={mainRef} tabIndex={-1}>
        <ErrorBoundary>
          <Switch>
            <Route path="/">
              <Redirect to="/challenges" replace />
            </Route>
            <Route path="/sign-in">
              <SignInPage />
            </Route>
            <Route path="/challenges">
              <ChallengesPage />
            </Route>
            <Route path="/challenges/:name">{({ name }) => <ChallengePage key={name} name={decode(name)} />}</Route>
            <Route>
              <NotFoundPage />
            </Route>
          </Switch>
        </ErrorBoundary>
      </main>
      <Footer />
      <ConnectionStatus />
    </>
  );
}

/** An address that is not well encoded names no challenge; it must not crash the page. */
function decode(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
