import type { Challenge, Instance, Service } from "@berg/api/wire";
import { Fragment } from "react";
import { useRenewInstance } from "../../api/mutations.ts";
import { useServerNow } from "../../api/server-time.ts";
import { Button } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { ExternalIcon } from "../../components/icons.tsx";
import { Notice } from "../../components/notice.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { addressOf } from "../../logic/addresses.ts";
import { formatCountdown, warnBelowMs } from "../../logic/countdown.ts";
import { timeLeft } from "../../logic/instance-state.ts";
import { texts } from "../../texts.ts";
import { StopButton } from "./stop-button.tsx";

export function RunningInstance({ challenge, instance }: { challenge: Challenge; instance: Instance }) {
  const { services } = instance;
  // While it runs, the controller gives a reason only if something is wrong with it.
  const isUnwell = instance.reason !== null && instance.reason !== "Ready" && Boolean(instance.message);
  return (
    <>
      {services.length === 0 && <p className="muted">{texts.instance.noAddresses}</p>}
      {services.length > 0 && (
        <ul className="addresses" aria-label={texts.instance.connect}>
          {services.map((service) => (
            <AddressRow
              key={`${service.hostname}:${service.port}/${service.protocol}`}
              service={service}
              hasName={services.length > 1}
            />
          ))}
        </ul>
      )}
      {isUnwell && (
        <Notice tone="warning">
          <p>{instance.message}</p>
        </Notice>
      )}
      <Lifetime challenge={challenge} instance={instance} />
    </>
  );
}

/** The name of a service tells several apart; where there is one only, it would be noise. */
function AddressRow({ service, hasName }: { service: Service; hasName: boolean }) {
  const address = addressOf(service);
  return (
    <li>
      {hasName && service.name !== null && <span className="address-name">{service.name}</span>}
      <span className="address">
        {address.kind === "link" ? (
          <a className="address-text address-link" href={address.href} target="_blank" rel="noreferrer">
            {address.href}
            <ExternalIcon />
            <span className="visually-hidden"> ({texts.instance.open})</span>
          </a>
        ) : (
          <Command text={address.command} />
        )}
        <CopyButton text={address.kind === "link" ? address.href : address.command} />
      </span>
    </li>
  );
}

/** Long commands break between their words: a hostname or a port that is cut in two is hard to read. */
function Command({ text }: { text: string }) {
  return (
    <code className="address-text">
      {text.split(" ").map((word, index) => (
        <Fragment key={word}>
          {index > 0 && " "}
          <span className="address-word">{word}</span>
        </Fragment>
      ))}
    </code>
  );
}

function Lifetime({ challenge, instance }: { challenge: Challenge; instance: Instance }) {
  const left = timeLeft(instance, useServerNow());
  const renew = useRenewInstance();
  const isEnding = left !== undefined && left < warnBelowMs;
  return (
    <>
      <div className={isEnding ? "lifetime is-ending" : "lifetime"}>
        <span className="lifetime-left">
          <span className="lifetime-label">{texts.instance.timeRemaining}</span>
          <span className="lifetime-time" role="timer">
            {left === undefined ? texts.instance.noEnd : formatCountdown(left)}
          </span>
        </span>
        {left !== undefined && left > 0 && instance.renewalsLeft > 0 && (
          <Button
            look={isEnding ? "primary" : "secondary"}
            isPending={renew.isPending}
            pendingText={texts.instance.extendPending}
            onClick={() => renew.mutate()}
          >
            {texts.instance.extend}
          </Button>
        )}
        <StopButton challenge={challenge} text={texts.instance.stop} />
      </div>
      {left !== undefined && (
        <p className={isEnding ? "lifetime-note is-ending" : "lifetime-note"}>
          {isEnding && `${left > 0 ? texts.instance.endsSoon : texts.instance.timeUp} `}
          {left > 0 && texts.instance.renewalsLeft(instance.renewalsLeft)}
        </p>
      )}
      <ProblemNotice error={renew.error} />
    </>
  );
}
