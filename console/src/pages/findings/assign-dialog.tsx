import { useState } from 'react';
import { Button } from '../../controls/button.js';
import controls from '../../controls/controls.module.css';
import { Dialog } from '../../controls/dialog.js';
import { ErrorState } from '../../controls/error-state.js';
import { Loading } from '../../controls/loading.js';
import { messages } from '../../messages/messages.js';
import { useAssignees } from '../../people.js';
import { reviewTexts } from '../../findings/texts.js';

const texts = reviewTexts.assignment;
/** Value of the choice to assign a finding to nobody. No member has it as an id. */
const NOBODY = '';

interface Props {
  readonly assigneeUserId: string | null;
  readonly error: Error | null;
  readonly isPending: boolean;
  readonly onAssign: (userId: string | null) => void;
  readonly onClose: () => void;
}

/** Asks to whom a finding is assigned. The list is the browser's own, in which typing finds a name. */
export function AssignDialog({ assigneeUserId, error, isPending, onAssign, onClose }: Props) {
  const { data: assignees, error: readError, refetch } = useAssignees();
  const [chosen, setChosen] = useState(assigneeUserId ?? NOBODY);
  return (
    <Dialog title={texts.title} onClose={onClose}>
      {assignees === undefined && readError === null && <Loading />}
      {readError !== null && <ErrorState error={readError} onRetry={() => void refetch()} />}
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!isPending && assignees !== undefined) onAssign(chosen === NOBODY ? null : chosen);
        }}
      >
        {assignees !== undefined && (
          <label className={controls['field']}>
            <span className={controls['label']}>{texts.to}</span>
            <select className={controls['input']} value={chosen} onChange={({ target }) => setChosen(target.value)}>
              <option value={NOBODY}>{texts.nobody}</option>
              {assignees.map(({ userId, name }) => (
                <option key={userId} value={userId}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        {error !== null && <ErrorState error={error} />}
        <div className={controls['actions']}>
          <Button type="submit" variant="primary" isPending={isPending}>
            {texts.submit}
          </Button>
          <Button onPress={onClose}>{messages.cancel}</Button>
        </div>
      </form>
    </Dialog>
  );
}
