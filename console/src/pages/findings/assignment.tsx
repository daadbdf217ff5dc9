import { useState } from 'react';
import type { Finding } from '../../client.js';
import { Button } from '../../controls/button.js';
import controls from '../../controls/controls.module.css';
import { ErrorState } from '../../controls/error-state.js';
import { keyOf } from '../../keymap.js';
import { usePeople } from '../../people.js';
import { useCaller } from '../../session.js';
import { AssignDialog } from './assign-dialog.js';
import { useAssign } from './queries.js';
import { useCommands } from './use-commands.js';
import { reviewTexts } from '../../findings/texts.js';

const texts = reviewTexts.assignment;

/** Assigns a finding to a member by name, or to the signed-in member at once. */
export function Assignment({ finding, hasKeys }: { readonly finding: Finding; readonly hasKeys: boolean }) {
  const { user } = useCaller();
  const { nameOf } = usePeople();
  const assign = useAssign();
  const [isAsked, setAsked] = useState(false);
  const [outcome, setOutcome] = useState('');

  const assignTo = (userId: string | null): void => {
    if (assign.isPending) return;
    assign.mutate(
      { findingId: finding.id, userId },
      {
        onSuccess() {
          setOutcome(userId === null ? texts.removed : texts.done(nameOf(`USER:${userId}`)));
          setAsked(false);
        },
      },
    );
  };
  const ask = (): void => {
    assign.reset();
    setAsked(true);
  };
  const mayTake = user !== null && user.id !== finding.assigneeUserId;
  useCommands((command) => {
    if (!hasKeys) return;
    if (command === 'assign') ask();
    if (command === 'assignToMe' && mayTake) assignTo(user.id);
  });
  return (
    <section aria-label={texts.title}>
      <div className={controls['actions']}>
        <Button onPress={ask}>{`${reviewTexts.keymap.assign} (${keyOf.assign})`}</Button>
        {mayTake && (
          <Button isPending={assign.isPending} onPress={() => assignTo(user.id)}>
            {`${reviewTexts.keymap.assignToMe} (${keyOf.assignToMe})`}
          </Button>
        )}
      </div>
      <p role="status">{outcome}</p>
      {assign.error !== null && !isAsked && <ErrorState error={assign.error} />}
      {isAsked && (
        <AssignDialog
          assigneeUserId={finding.assigneeUserId}
          error={assign.error}
          isPending={assign.isPending}
          onAssign={assignTo}
          onClose={() => setAsked(false)}
        />
      )}
    </section>
  );
}
