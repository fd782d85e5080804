import { Link, useRoute } from "wouter";
import { useSignOut } from "../api/mutations.ts";
import { useMetadata, usePlayer } from "../api/queries.ts";
import { texts } from "../texts.ts";
import { Button } from "./button.tsx";
import { MountainMark } from "./icons.tsx";
import { InstanceBar } from "./instance-bar.tsx";

export function Header() {
  const { data: metadata, isPending, failureCount } = useMetadata();
  const [isOnChallenges] = useRoute("/challenges/*?");
  return (
    <header className="header">
      {/* The name decides where the rest stands, so both are shown together. */}
      <div className={isPending && failureCount === 0 ? "header-content is-loading" : "header-content"}>
        <Link href="/challenges" className="brand">
          {metadata?.eventLogoUrl ? <img className="mark" src={metadata.eventLogoUrl} alt="" /> : <MountainMark />}
          <span className="brand-name">{metadata?.eventName || texts.eventFallback}</span>
        </Link>
        <nav className="navigation" aria-label={texts.header.navigation}>
          <Link href="/challenges" className="navigation-link" aria-current={isOnChallenges ? "page" : undefined}>
            {texts.header.challenges}
          </Link>
        </nav>
        <InstanceBar />
        <Account />
      </div>
    </header>
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
      <span className="account-name" title={player.name}>
        <span className="visually-hidden">{texts.header.signedInAs} </span>
        {player.name}
      </span>
      <Button look="quiet" isPending={signOut.isPending} onClick={() => signOut.mutate()}>
        {texts.header.signOut}
      </Button>
    </div>
  );
}
