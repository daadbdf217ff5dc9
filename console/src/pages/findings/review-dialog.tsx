import { useState } from 'react';
import { Button } from '../../controls/button.js';
import controls from '../../controls/controls.module.css';
import { Dialog } from '../../controls/dialog.js';
import { ErrorState } from '../../controls/error-state.js';
import { Field } from '../../controls/field.js';
import { messages } from '../../messages/messages.js';
import type { Asked } from './asks-first.js';
import { reviewTexts } from '../../findings/texts.js';

const texts = reviewTexts.finding;

interface Props {
  readonly decision: Asked;
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly onDecide: (note: string | undefined) => void;
  readonly onClose: () => void;
}

/** Asks for the note when a finding is accepted as a risk, or once more before an account is blocked. */
export function ReviewDialog({ decision, error, isPending, onDecide, onClose }: Props) {
  const [note, setNote] = useState('');
  const [fault, setFault] = useState<string>();
  const needsNote = decision === 'ACCEPTED_RISK';
  const submit = (): void => {
    const entered = note.trim();
    const isMissing = needsNote && entered === '';
    setFault(isMissing ? texts.noteEmpty : undefined);
    if (!isMissing && !isPending) onDecide(entered === '' ? undefined : entered);
  };
  return (
    <Dialog title={needsNote ? texts.noteTitle : texts.blockTitle} onClose={onClose}>
      {!needsNote && <p>{texts.blockText}</p>}
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {needsNote && (
          <Field
            label={texts.note}
            help={texts.noteHelp}
            value={note}
            onChange={setNote}
            fault={fault}
            kind="paragraphs"
          />
        )}
        {error !== null && <ErrorState error={error} />}
        <div className={controls['actions']}>
          <Button type="submit" variant="primary" isPending={isPending}>
            {reviewTexts.keymap[decision]}
          </Button>
          <Button onPress={onClose}>{messages.cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}
