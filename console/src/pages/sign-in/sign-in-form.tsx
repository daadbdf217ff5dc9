import { ApiError } from '@invoicecontrol/client/browser';
import { useState } from 'react';
import { Button } from '../../controls/button.js';
import controls from '../../controls/controls.module.css';
import { ErrorState } from '../../controls/error-state.js';
import { Field } from '../../controls/field.js';
import { signIn } from '../../client.js';
import { messages } from '../../messages/messages.js';
import { useRefreshCaller } from '../../session.js';

const texts = messages.signIn;

/** The form that exchanges an API key for a session of the console. */
export function SignInForm({ onSignedIn }: { readonly onSignedIn: () => void }) {
  const refreshCaller = useRefreshCaller();
  const [key, setKey] = useState('');
  const [fault, setFault] = useState<string>();
  const [error, setError] = useState<Error>();
  const [isPending, setPending] = useState(false);
  // A browser keeps the cookie of a session only in a secure context, so an attempt elsewhere cannot succeed.
  if (!window.isSecureContext) return <p role="alert">{texts.insecure}</p>;

  const submit = async (): Promise<void> => {
    if (isPending) return;
    setError(undefined);
    const entered = key.trim();
    const isMalformed = !/^ick_(?:live|test)_[0-9A-Za-z_]+$/.test(entered);
    setFault(entered === '' ? texts.empty : isMalformed ? texts.malformed : undefined);
    if (entered === '' || isMalformed) return;
    setPending(true);
    try {
      await signIn(entered);
      if ((await refreshCaller()) === null) setFault(texts.noCookie);
      else onSignedIn();
    } catch (failure) {
      const status = failure instanceof ApiError ? failure.status : undefined;
      if (status === 401) setFault(texts.refused);
      else if (status === 429) setFault(texts.tooMany((failure as ApiError).retryAfterSeconds ?? 60));
      else setError(failure as Error);
    } finally {
      setPending(false);
    }
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Field label={texts.keyLabel} help={texts.keyHelp} value={key} onChange={setKey} fault={fault} kind="secret" />
      {error !== undefined && <ErrorState error={error} />}
      <div className={controls['actions']}>
        <Button type="submit" variant="primary" isPending={isPending}>
          {texts.submit}
        </Button>
      </div>
    </form>
  );
}
