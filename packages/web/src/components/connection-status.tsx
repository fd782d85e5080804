import { useEffect, useState } from "react";
import { type Connection, useConnection } from "../api/connection.ts";
import { systemClock } from "../clock.ts";
import { texts } from "../texts.ts";

/** Most interruptions are over before anybody would notice; telling about them would only worry. */
const showAfterMs = 2_000;

/** A slim bar over the lower edge of the page while the server cannot be reached. It moves nothing. */
export function ConnectionStatus() {
  const connection = useConnection();
  const isBroken = problemOf(connection) !== undefined;
  const [isShown, setIsShown] = useState(false);

  useEffect(() => {
    if (!isBroken) return setIsShown(false);
    return systemClock.setTimer(showAfterMs, () => setIsShown(true));
  }, [isBroken]);

  const problem = problemOf(connection);
  return (
    <div className="connection-status" role="status">
      {isShown && problem && (
        <p className="connection-status-text">
          <span className="dot dot-warning" />
          {texts.connection[problem]}
        </p>
      )}
    </div>
  );
}

function problemOf({ requests, live }: Connection): keyof typeof texts.connection | undefined {
  if (requests !== "answered") return requests;
  return live === false ? "reconnecting" : undefined;
}
