import type { PersonalLink, SignInOptions } from "@berg/api/wire";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "wouter";
import { useRegister } from "../../api/account.ts";
import { signInOptionsQuery, usePlayer } from "../../api/queries.ts";
import { AttributeFields } from "../../components/attribute-fields.tsx";
import { Button } from "../../components/button.tsx";
import { CopyField } from "../../components/copy-field.tsx";
import { EmailField } from "../../components/email-field.tsx";
import { FormField } from "../../components/form-field.tsx";
import { ProblemNotice } from "../../components/problem-notice.tsx";
import { problemOf, QueryProblem } from "../../components/query-problem.tsx";
import { formatTime } from "../../components/time.tsx";
import { usePlayerForm } from "../../components/use-player-form.ts";
import { useTitle } from "../../components/use-title.ts";
import { attributeErrors } from "../../logic/form-errors.ts";
import { type RegistrationState, registrationState } from "../../logic/registration.ts";
import { texts } from "../../texts.ts";
import { accountTexts } from "../../texts-account.ts";
import { AccountPanel, LoadingPanel } from "./account-panel.tsx";

export function RegistrationPage() {
  useTitle(accountTexts.registration.title);
  const options = useQuery(signInOptionsQuery);
  const [done, setDone] = useState<{ name: string; link: PersonalLink }>();
  const { data: player } = usePlayer();
  if (done) return <Registered name={done.name} link={done.link.link} />;
  if (player) return <SignedIn name={player.name} />;
  if (options.data) {
    const state = registrationState(options.data);
    if (state !== "open") return <NotOpen options={options.data} state={state} />;
    return <RegistrationForm options={options.data} onDone={(name, link) => setDone({ name, link })} />;
  }
  return problemOf(options) ? (
    <QueryProblem query={options} isPage />
  ) : (
    <LoadingPanel title={accountTexts.registration.title} />
  );
}

interface RegistrationFormProps {
  options: SignInOptions;
  onDone: (name: string, link: PersonalLink) => void;
}

function RegistrationForm({ options, onDone }: RegistrationFormProps) {
  const { eventName, registration, playerAttributes: asked, canMailLinks } = options;
  const register = useRegister();
  const { formRef, form, change, errors, otherError, submit } = usePlayerForm({
    initial: {
      ...{ name: "", attributes: {} },
      ...(registration.mode === "code" && { code: "" }),
      ...(canMailLinks && { email: "" }),
    },
    asked,
    error: register.error,
    isPending: register.isPending,
    onSubmit: ({ name, code = "", email = "", attributes }) =>
      register.mutate(
        { name: name.trim(), code: code.trim(), attributes, ...(email.trim() !== "" && { email: email.trim() }) },
        { onSuccess: (link) => onDone(name, link) },
      ),
  });
  return (
    <AccountPanel
      title={accountTexts.registration.title}
      subtitle={eventName && accountTexts.registration.event(eventName)}
    >
      <form className="form" ref={formRef} noValidate onSubmit={submit}>
        <FormField
          label={accountTexts.registration.name}
          mark={accountTexts.registration.required}
          hint={accountTexts.registration.nameHint}
          error={errors.name}
        >
          {(props) => (
            <input
              {...props}
              className="field"
              name="name"
              autoComplete="nickname"
              required
              maxLength={64}
              value={form.name}
              onChange={({ target }) => change({ name: target.value })}
            />
          )}
        </FormField>
        {form.code !== undefined && (
          <FormField
            label={accountTexts.registration.code}
            mark={accountTexts.registration.required}
            hint={accountTexts.registration.codeHint}
            error={errors.code}
          >
            {(props) => (
              <input
                {...props}
                className="field"
                name="code"
                autoComplete="off"
                required
                maxLength={256}
                value={form.code}
                onChange={({ target }) => change({ code: target.value })}
              />
            )}
          </FormField>
        )}
        {form.email !== undefined && (
          <EmailField
            value={form.email}
            onChange={(email) => change({ email })}
            error={errors.email}
            hint={accountTexts.email.hint}
          />
        )}
        <AttributeFields
          asked={asked}
          values={form.attributes}
          onChange={(attributes) => change({ attributes })}
          errors={attributeErrors(errors)}
        />
        <ProblemNotice error={otherError} />
        <Button
          look="primary"
          type="submit"
          isPending={register.isPending}
          pendingText={accountTexts.registration.pending}
        >
          {accountTexts.registration.submit}
        </Button>
      </form>
      <div className="panel-note">
        {registration.closesAt !== null && (
          <p>{accountTexts.registration.closesAt(formatTime(registration.closesAt))}</p>
        )}
        <p>
          {accountTexts.registration.haveLink} {accountTexts.registration.signInInstead}
        </p>
      </div>
    </AccountPanel>
  );
}

/** The link is shown once: the page stays until it is put away. */
function Registered({ name, link }: { name: string; link: string }) {
  return (
    <AccountPanel title={accountTexts.registration.doneTitle(name)}>
      <p>{accountTexts.registration.doneDetail}</p>
      <div>
        <span className="address-name">{accountTexts.registration.linkLabel}</span>
        <CopyField text={link} />
      </div>
      <Link href="/challenges" replace className="button button-primary">
        {accountTexts.registration.continue}
      </Link>
    </AccountPanel>
  );
}

function SignedIn({ name }: { name: string }) {
  return (
    <AccountPanel title={accountTexts.registration.title}>
      <p>{accountTexts.signIn.alreadyAs(name)}</p>
      <Link href="/challenges" className="button button-secondary">
        {accountTexts.signIn.toChallenges}
      </Link>
    </AccountPanel>
  );
}

function NotOpen({ options, state }: { options: SignInOptions; state: Exclude<RegistrationState, "open"> }) {
  const { opensAt } = options.registration;
  const { title, detail } = accountTexts.registration.notOpen[state];
  return (
    <AccountPanel title={title} subtitle={options.eventName && accountTexts.registration.event(options.eventName)}>
      {state === "later" && opensAt !== null && <p>{accountTexts.registration.opensAt(formatTime(opensAt))}</p>}
      <p>{detail}</p>
      <Link href="/sign-in" className="button button-secondary">
        {texts.header.signIn}
      </Link>
    </AccountPanel>
  );
}
