/** One instance in a drawer: what it is, what an organiser can do with it, and what happened to it. */
import type { AdminInstance } from "@berg/api/wire";
import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { useExtendInstance, useInstanceEvents, useInstanceLogs, useStopAnyInstance } from "../../api/admin.ts";
import { useChallengeTitle } from "../../api/queries.ts";
import { useServerNow } from "../../api/server-time.ts";
import { Button } from "../../components/button.tsx";
import { ConfirmButton } from "../../components/confirm-button.tsx";
import { CloseIcon } from "../../components/icons.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { problemOf } from "../../components/query-problem.tsx";
import { StateDot } from "../../components/state-dot.tsx";
import { Time } from "../../components/time.tsx";
import { formatCountdown, formatElapsed } from "../../logic/countdown.ts";
import { stateOf, timeLeft } from "../../logic/instance-state.ts";
import { startOf } from "../../logic/stages.ts";
import { texts } from "../../texts.ts";
import { adminTexts } from "../../texts-admin.ts";
import { TimelineChart } from "./timeline-chart.tsx";

export function InstanceDetails({ instance, onClose }: { instance: AdminInstance; onClose: () => void }) {
  const ref = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const challenge = useChallengeTitle(instance.name);
  useEffect(() => ref.current?.showModal(), []);
  const id = instance.id ?? "";
  const isOpen = instance.terminatedAt === null;
  return (
    <dialog ref={ref} className="drawer" aria-labelledby={titleId} onClose={onClose}>
      <header className="drawer-header">
        <div>
          <h2 id={titleId} className="dialog-title">
            {challenge}
          </h2>
          <span className="badge">
            <StateDot state={stateOf(instance)} />
            {instance.phase}
          </span>
        </div>
        <button
          type="button"
          className="icon-button"
          aria-label={adminTexts.close}
          onClick={() => ref.current?.close()}
        >
          <CloseIcon />
        </button>
      </header>
      <Facts instance={instance} />
      {isOpen && <Actions instance={instance} id={id} challenge={challenge} />}
      <Section title={adminTexts.timeline}>
        <TimelineChart id={id} isOpen={isOpen} />
      </Section>
      <Section title={adminTexts.events}>
        <Events id={id} isOpen={isOpen} />
      </Section>
      <Section title={adminTexts.logs}>
        <Logs id={id} isOpen={isOpen} />
      </Section>
    </dialog>
  );
}

function Facts({ instance }: { instance: AdminInstance }) {
  const { id, startedAt, readyAt, terminatedAt, terminationReason, phase, message } = instance;
  const beginning = startOf(instance);
  const left = timeLeft(instance, useServerNow());
  const isOpen = terminatedAt === null;
  return (
    <dl className="facts">
      <Fact name={adminTexts.facts.owner}>{instance.ownerName ?? adminTexts.unknownOwner}</Fact>
      <Fact name={adminTexts.facts.started}>{startedAt !== null && <Time at={startedAt} />}</Fact>
      <Fact name={adminTexts.facts.ready}>
        {readyAt !== null && beginning !== undefined && formatElapsed(Date.parse(readyAt) - beginning)}
      </Fact>
      {isOpen && (
        <Fact name={texts.instance.timeRemaining}>
          <span className="tabular">{left === undefined ? texts.instance.noEnd : formatCountdown(left)}</span>
        </Fact>
      )}
      <Fact name={adminTexts.facts.ended}>{!isOpen && <Time at={terminatedAt} />}</Fact>
      <Fact name={adminTexts.facts.terminationReason}>{terminationReason}</Fact>
      <Fact name={adminTexts.facts.id}>
        <code>{id}</code>
      </Fact>
      {/* The timeline says why it failed. */}
      <Fact name={adminTexts.facts.message}>{phase !== "Failed" && message}</Fact>
    </dl>
  );
}

/** Nothing where there is nothing to say. */
function Fact({ name, children }: { name: string; children: ReactNode }) {
  if (!children) return null;
  return (
    <div className="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Actions({ instance, id, challenge }: { instance: AdminInstance; id: string; challenge: string }) {
  const stop = useStopAnyInstance(id);
  const extend = useExtendInstance(id);
  const [minutes, setMinutes] = useState("30");
  const inputId = useId();
  const amount = Number(minutes);
  const isValid = Number.isInteger(amount) && amount >= 1 && amount <= 7 * 24 * 60;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isValid && !extend.isPending) extend.mutate(amount);
  };
  return (
    <div>
      <div className="drawer-actions">
        <form className="extend-form" onSubmit={submit}>
          <label htmlFor={inputId}>{adminTexts.extendBy}</label>
          <input
            id={inputId}
            className="field"
            type="number"
            min={1}
            max={7 * 24 * 60}
            value={minutes}
            onChange={({ target }) => setMinutes(target.value)}
          />
          <span>{adminTexts.minutes}</span>
          <Button
            type="submit"
            isPending={extend.isPending}
            isDisabled={!isValid}
            pendingText={adminTexts.extendPending}
          >
            {adminTexts.extend}
          </Button>
        </form>
        <ConfirmButton
          text={adminTexts.stop}
          look="danger"
          pendingText={adminTexts.stopPending}
          isPending={stop.isPending}
          title={adminTexts.stopTitle(challenge, instance.ownerName ?? adminTexts.unknownOwner)}
          confirmText={adminTexts.stop}
          cancelText={adminTexts.stopCancel}
          onConfirm={() => stop.mutate()}
        >
          <p>{adminTexts.stopDetail}</p>
        </ConfirmButton>
      </div>
      <p role="status" className="muted">
        {extend.isSuccess && extend.variables !== undefined && adminTexts.extended(extend.variables)}
      </p>
      <ProblemNotice error={extend.error ?? stop.error} />
    </div>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className="drawer-section" aria-labelledby={id}>
      <h3 id={id} className="section-title">
        {title}
      </h3>
      {children}
    </section>
  );
}

function Events({ id, isOpen }: { id: string; isOpen: boolean }) {
  const events = useInstanceEvents(id, isOpen);
  if (!events.data) return <Unread error={problemOf(events)} />;
  if (events.data.length === 0) return <p className="muted">{adminTexts.noEvents}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by the keyboard
    <ul className="event-list" tabIndex={0} aria-label={adminTexts.events}>
      {events.data.map((event) => (
        <li key={`${event.at} ${event.object} ${event.reason} ${event.message}`} className="event">
          <span className="event-head">
            <span className={event.type === "Warning" ? "dot dot-warning" : "dot"} aria-hidden="true" />
            <strong>{event.reason}</strong>
            <span className="muted">
              {event.object} · <Time at={event.at} />
              {event.count > 1 && ` · ${adminTexts.times(event.count)}`}
            </span>
          </span>
          <span className="event-message">{event.message}</span>
        </li>
      ))}
    </ul>
  );
}

function Logs({ id, isOpen }: { id: string; isOpen: boolean }) {
  const logs = useInstanceLogs(id, isOpen);
  const [chosen, setChosen] = useState("");
  if (!logs.data) return <Unread error={problemOf(logs)} />;
  const nameOf = ({ pod, container }: { pod: string; container: string }) => `${pod} / ${container}`;
  const shown = logs.data.find((log) => nameOf(log) === chosen) ?? logs.data[0];
  if (!shown) return <p className="muted">{adminTexts.noLogs}</p>;
  return (
    <>
      <label>
        <span className="visually-hidden">{adminTexts.container}</span>
        <select className="field" value={nameOf(shown)} onChange={({ target }) => setChosen(target.value)}>
          {logs.data.map((log) => (
            <option key={nameOf(log)}>{nameOf(log)}</option>
          ))}
        </select>
      </label>
      {shown.isTruncated && <p className="muted">{adminTexts.truncated}</p>}
      <LogText key={nameOf(shown)} text={shown.text} label={nameOf(shown)} />
    </>
  );
}

/** Begins at its end, and stays there while more is written, until the reader scrolls up. */
function LogText({ text, label }: { text: string; label: string }) {
  const ref = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the position is set after each change of the text
  useEffect(() => {
    const log = ref.current;
    if (log && isAtEnd.current) log.scrollTop = log.scrollHeight;
  }, [text]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a log is no section of the page
    <pre
      ref={ref}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by the keyboard
      tabIndex={0}
      role="region"
      aria-label={label}
      className="log"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 8;
      }}
    >
      {text || adminTexts.emptyLog}
    </pre>
  );
}

function Unread({ error }: { error: Error | undefined }) {
  if (error) return <ProblemNotice error={error} />;
  return (
    <div role="status">
      <span className="visually-hidden">{adminTexts.detailLoading}</span>
      <div className="skeleton skeleton-line" />
    </div>
  );
}
