import { useState } from 'react';
import type { PaymentLine } from '../../client.js';
import { Button } from '../../controls/button.js';
import controls from '../../controls/controls.module.css';
import { Dialog } from '../../controls/dialog.js';
import { ErrorState } from '../../controls/error-state.js';
import { Field } from '../../controls/field.js';
import { formatMoney } from '../../format/money.js';
import { showInvisible } from '../../format/visible-text.js';
import { messages } from '../../messages/messages.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { useFourEyes, useRelease } from './queries.js';
import { runTexts } from './texts.js';

const texts = runTexts.release;

interface Props {
  readonly runId: string;
  readonly line: PaymentLine;
  readonly onDone: (isPending: boolean) => void;
  readonly onClose: () => void;
}

/** Asks for the note with which a payment line is released, or the release of another person confirmed. */
export function ReleaseDialog({ runId, line, onDone, onClose }: Props) {
  const { data: isFourEyes = false } = useFourEyes(may(useCaller(), rights.readOrganization));
  const release = useRelease(runId, line.id);
  const [note, setNote] = useState('');
  const [fault, setFault] = useState<string>();
  const isConfirmation = line.release !== null && !line.release.confirmed;
  const payee = line.creditorName === null ? runTexts.line.noName : showInvisible(line.creditorName);
  const amount = formatMoney(line.amount, line.currency);

  const submit = (): void => {
    if (release.isPending) return;
    const entered = note.trim();
    setFault(entered === '' ? texts.noteEmpty : undefined);
    if (entered !== '') release.mutate(entered, { onSuccess: ({ isPending }) => onDone(isPending) });
  };
  return (
    <Dialog title={isConfirmation ? texts.confirmTitle(payee, amount) : texts.title(payee, amount)} onClose={onClose}>
      {isFourEyes && !isConfirmation && <p>{texts.fourEyes}</p>}
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Field
          label={texts.note}
          help={line.verdict === 'UNKNOWN' ? texts.noteHelpUnknown : texts.noteHelp}
          value={note}
          onChange={setNote}
          fault={fault}
          kind="paragraphs"
        />
        {release.error !== null && <ErrorState error={release.error} />}
        <div className={controls['actions']}>
          <Button type="submit" variant="primary" isPending={release.isPending}>
            {isConfirmation ? texts.submitConfirm : texts.submit}
          </Button>
          <Button onPress={onClose}>{messages.cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}
