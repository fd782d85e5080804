/** The frame around every page, and which page belongs to which address. */
import { type QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { Suspense, useEffect } from "react";
import { Route, Switch, useLocation } from "wouter";
import type { LiveConnection } from "./api/live.ts";
import { LiveContext } from "./api/live-context.ts";
import { useIsSignInRequired } from "./api/queries.ts";
import { systemClock } from "./clock.ts";
import { ConnectionStatus } from "./components/connection-status.tsx";
import { ErrorBoundary } from "./components/error-boundary.tsx";
import { Footer } from "./components/footer.tsx";
import { Header } from "./components/header.tsx";
import { lazyPage } from "./components/lazy-page.ts";
import { ProfileNotice } from "./components/profile-notice.tsx";
import { useFocusOnNavigation } from "./components/use-focus-on-navigation.ts";
import { ChallengesPage } from "./pages/challenges/challenges-page.tsx";
import { OrganiserPage } from "./pages/organiser-page.tsx";
import { texts } from "./texts.ts";

// The list of challenges is the first view of most visits; the rest is loaded when it is opened.
const ChallengePage = lazyPage(async () => (await import("./pages/challenge/challenge-page.tsx")).ChallengePage);
const SignInPage = lazyPage(async () => (await import("./pages/sign-in/sign-in-page.tsx")).SignInPage);
const RegistrationPage = lazyPage(async () => (await import("./pages/sign-in/registration-page.tsx")).RegistrationPage);
const ProfilePage = lazyPage(async () => (await import("./pages/profile/profile-page.tsx")).ProfilePage);
const InstancesPage = lazyPage(async () => (await import("./pages/admin/instances-page.tsx")).InstancesPage);

/** By then the first view is there. */
const preloadAfterMs = 1_000;

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
  const [path] = useLocation();
  useEffect(() => systemClock.setTimer(preloadAfterMs, ChallengePage.preload), []);
  return (
    <>
      <a className="skip-link" href="#main">
        {texts.header.skip}
      </a>
      <Header />
      <main id="main" className="page" ref={mainRef} tabIndex={-1}>
        <ProfileNotice />
        {/* Another page may work where this one has crashed. */}
        <ErrorBoundary key={path}>
          <Suspense fallback={<LoadingPage />}>
            <Routes />
          </Suspense>
        </ErrorBoundary>
      </main>
      <Footer />
      <ConnectionStatus />
    </>
  );
}

function Routes() {
  const isSignInRequired = useIsSignInRequired();
  return (
    <Switch>
      <Route path="/sign-in">
        <SignInPage />
      </Route>
      <Route path="/register">
        <RegistrationPage />
      </Route>
      {isSignInRequired && (
        <Route>
          <SignInPage />
        </Route>
      )}
      <Route path="/challenges">
        <ChallengesPage />
      </Route>
      <Route path="/challenges/:name">{({ name }) => <ChallengePage name={decode(name)} />}</Route>
      <Route path="/profile">
        <ProfilePage />
      </Route>
      <Route path="/admin/instances">
        <InstancesPage />
      </Route>
      <Route path="/*?">{(params) => <OrganiserPage path={`/${decode(params["*"] ?? "")}`} />}</Route>
    </Switch>
  );
}

function LoadingPage() {
  return (
    <div role="status" className="loading-page">
      <span className="visually-hidden">{texts.organiserPage.loading}</span>
    </div>
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
