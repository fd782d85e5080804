import { Link, useLocation } from "wouter";
import { useSignOut } from "../api/mutations.ts";
import { useEvent, useIsSignInRequired, useMetadata, usePages, usePlayer } from "../api/queries.ts";
import { addressOfPage, findPage, navigationPages } from "../logic/organiser-pages.ts";
import { texts } from "../texts.ts";
import { Button } from "./button.tsx";
import { MountainMark } from "./icons.tsx";
import { InstanceBar } from "./instance-bar.tsx";

export function Header() {
  const { isPending, failureCount } = useMetadata();
  const event = useEvent();
  return (
    <header className="header">
      {/* The name decides where the rest stands, so both are shown together. */}
      <div className={isPending && failureCount === 0 ? "header-content is-loading" : "header-content"}>
        <Link href="/" className="brand">
          {event?.eventLogoUrl ? <img className="mark" src={event.eventLogoUrl} alt="" /> : <MountainMark />}
          <span className="brand-name">{event?.eventName || texts.eventFallback}</span>
        </Link>
        <Navigation />
        <InstanceBar />
        <Account />
      </div>
    </header>
  );
}

function Navigation() {
  const { data: player } = usePlayer();
  const { data: pages = [] } = usePages();
  const isSignInRequired = useIsSignInRequired();
  if (isSignInRequired) return <nav className="navigation" aria-label={texts.header.navigation} />;
  const isHomeChallenges = findPage(pages, "/") === undefined;
  return (
    <nav className="navigation" aria-label={texts.header.navigation}>
      <NavigationLink href="/challenges" isHome={isHomeChallenges} text={texts.header.challenges} />
      {navigationPages(pages).map(({ path, title }) => (
        <NavigationLink key={path} href={addressOfPage(path)} text={title} />
      ))}
      {player?.roles.includes("admin") && <NavigationLink href="/admin/instances" text={texts.header.admin} />}
    </nav>
  );
}

function NavigationLink({ href, text, isHome = false }: { href: string; text: string; isHome?: boolean }) {
  const [path] = useLocation();
  const isCurrent = path === href || path.startsWith(`${href}/`) || (isHome && path === "/");
  return (
    <Link href={href} className="navigation-link" aria-current={isCurrent ? "page" : undefined}>
      {text}
    </Link>
  );
}

function Account() {
  const { data: player } = usePlayer();
  const signOut = useSignOut();
  if (player === undefined) return <div className="account" />;
  if (player === null) {
    return (
      <div className="account">
        <Link href="/sign-in" className="button button-secondary">
          {texts.header.signIn}
        </Link>
      </div>
    );
  }
  return (
    <div className="account">
      <Link href="/profile" className="account-name" title={player.name} aria-label={texts.header.profile(player.name)}>
        {player.name}
      </Link>
      <Button look="quiet" isPending={signOut.isPending} onClick={() => signOut.mutate()}>
        {texts.header.signOut}
      </Button>
    </div>
  );
}
