import { Link, useRoute } from "wouter";
import { useMetadata, usePlayer } from "../api/queries.ts";
import { missingAttributes } from "../logic/player-attributes.ts";
import { texts } from "../texts.ts";
import { Notice } from "./notice.tsx";

/** Stands above every page while the player has not answered what the organiser requires. */
export function ProfileNotice() {
  const { data: metadata } = useMetadata();
  const { data: player } = usePlayer();
  const [isOnProfile] = useRoute("/profile");
  if (!metadata || !player) return null;
  const missing = missingAttributes(metadata.playerAttributes, player.attributes);
  if (missing.length === 0) return null;
  return (
    <div className={isOnProfile ? "page-notice page-notice-narrow" : "page-notice"}>
      <Notice tone="warning">
        <p>
          {texts.profileNotice.missing(missing.map(({ title, name }) => title || name).join(", "))}{" "}
          {!isOnProfile && <Link href="/profile">{texts.profileNotice.complete}</Link>}
        </p>
      </Notice>
    </div>
  );
}
