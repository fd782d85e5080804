import type { Challenge, Instance, Service } from "@berg/api/wire";
import { Fragment } from "react";
import { useRenewInstance, useRestartInstance } from "../../api/mutations.ts";
import { useServerNow } from "../../api/server-time.ts";
import { Button } from "../../components/button.tsx";
import { ConfirmButton } from "../../components/confirm-button.tsx";
import { CopyField } from "../../components/copy-field.tsx";
import { ExternalIcon } from "../../components/icons.tsx";
import { Notice } from "../../components/notice.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { addressOf } from "../../logic/addresses.ts";
import { formatCountdown } from "../../logic/countdown.ts";
import { isEnding, timeLeft } from "../../logic/instance-state.ts";
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
      <Lifetime challenge={challenge} instance={instance} />
      {isUnwell && (
        <Notice tone="warning">
          <p>{instance.message}</p>
        </Notice>
      )}
    </>
  );
}

/** The name of a service tells several apart; where there is one only, it would be noise. */
function AddressRow({ service, hasName }: { service: Service; hasName: boolean }) {
  const address = addressOf(service);
  return (
    <li>
      {hasName && service.name !== null && <span className="address-name">{service.name}</span>}
      {address.kind === "command" ? (
        <CopyField text={address.command} />
      ) : (
        <CopyField text={address.href}>
          <a className="address-text address-link" href={address.href} target="_blank" rel="noreferrer">
            <BreakableAddress href={address.href} />
            <ExternalIcon />
            <span className="visually-hidden">{texts.instance.open}</span>
          </a>
        </CopyField>
      )}
    </li>
  );
}

/** Breaks before a dot, where it has to: a word that is cut in two is hard to read. */
function BreakableAddress({ href }: { href: string }) {
  return href.split(/(?=\.)/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts may repeat, and their order is all they are
    <Fragment key={index}>
      <wbr />
      {part}
    </Fragment>
  ));
}

function Lifetime({ challenge, instance }: { challenge: Challenge; instance: Instance }) {
  const now = useServerNow();
  const left = timeLeft(instance, now);
  const isNearEnd = isEnding(instance, now);
  const renew = useRenewInstance();
  const canRenew = left !== undefined && left > 0 && instance.renewalsLeft > 0;
  return (
    <>
      <div className={isNearEnd ? "lifetime is-ending" : "lifetime"}>
        <span className="lifetime-left">
          <span className="lifetime-label">{texts.instance.timeRemaining}</span>
          <span className="lifetime-time" role="timer">
            {left === undefined ? texts.instance.noEnd : formatCountdown(left)}
          </span>
          {left !== undefined && left > 0 && (
            <span className="lifetime-note">{texts.instance.renewalsLeft(instance.renewalsLeft)}</span>
          )}
        </span>
        {canRenew && (
          <Button
            look={isNearEnd ? "primary" : "secondary"}
            isPending={renew.isPending}
            pendingText={texts.instance.extendPending}
            onClick={() => renew.mutate()}
          >
            {texts.instance.extend}
          </Button>
        )}
      </div>
      <ProblemNotice error={renew.error} />
      <div className="actions instance-actions">
        <RestartButton challenge={challenge} />
        <StopButton challenge={challenge} text={texts.instance.stop} />
      </div>
      {/* Below the buttons, which must not move when it appears. */}
      {isNearEnd && left !== undefined && (
        <Notice tone="warning" title={left > 0 ? texts.instance.endsSoon : texts.instance.timeUp}>
          {left > 0 && <p>{texts.instance.endsSoonDetail(canRenew)}</p>}
        </Notice>
      )}
    </>
  );
}

function RestartButton({ challenge }: { challenge: Challenge }) {
  const restart = useRestartInstance();
  return (
    <>
      <ConfirmButton
        text={texts.instance.restart}
        pendingText={texts.instance.restartPending}
        isPending={restart.isPending}
        title={texts.instance.restartTitle(challenge.displayName)}
        confirmText={texts.instance.restartConfirm}
        cancelText={texts.instance.restartCancel}
        onConfirm={() => restart.mutate()}
      >
        <p>{texts.instance.restartDetail}</p>
      </ConfirmButton>
      <ProblemNotice error={restart.error} />
    </>
  );
}
