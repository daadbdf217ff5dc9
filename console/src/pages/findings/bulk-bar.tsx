import { useState } from 'react';
import type { Finding } from '../../client.js';
import { Button } from '../../controls/button.js';
import controls from '../../controls/controls.module.css';
import { ErrorState } from '../../controls/error-state.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { keyOf } from '../../keymap.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { AssignDialog } from './assign-dialog.js';
import { SELECTED_MAX, useAssignAll, useReviewAll } from './queries.js';
import type { BatchItem, Decision } from './queries.js';
import { asksFirst } from './asks-first.js';
import { ReviewDialog } from './review-dialog.js';
import { useCommands } from './use-commands.js';
import styles from './findings.module.css';
import { reviewTexts } from '../../findings/texts.js';

const texts = reviewTexts.bulk;
/** The decisions that make sense for several findings at once. */
const decisions = [
  'CONFIRMED',
  'FALSE_POSITIVE',
  'ACCEPTED_RISK',
  'UNDER_REVIEW',
] as const satisfies readonly Decision[];
type Asked = 'ACCEPTED_RISK' | 'CONFIRMED' | 'ASSIGN';

/** Decides or assigns all selected findings at once, and says which of them were refused. */
export function BulkBar({ chosen, onClear }: { readonly chosen: readonly Finding[]; readonly onClear: () => void }) {
  const caller = useCaller();
  const review = useReviewAll();
  const assign = useAssignAll();
  const [asked, setAsked] = useState<Asked>();
  const [outcome, setOutcome] = useState<readonly (BatchItem & { readonly summary: string })[]>();
  const isPending = review.isPending || assign.isPending;
  const findingIds = chosen.map(({ id }) => id);

  const show = (items: readonly BatchItem[]): void => {
    const summaries = new Map(chosen.map(({ id, summary }) => [id, summary]));
    setOutcome(items.map((item) => ({ ...item, summary: summaries.get(item.id) ?? item.id })));
    setAsked(undefined);
    onClear();
  };
  const decide = (disposition: Decision, note?: string): void => {
    if (isPending || chosen.length === 0) return;
    review.mutate({ findings: chosen, disposition, ...(note === undefined ? {} : { note }) }, { onSuccess: show });
  };
  const ask = (decision: Decision): void => {
    review.reset();
    if (chosen.length === 0) return;
    const first = chosen.map((finding) => asksFirst(decision, finding)).find((dialog) => dialog !== undefined);
    if (first === undefined) decide(decision);
    else setAsked(first);
  };
  const mayReview = may(caller, rights.reviewFindings);
  const mayAssign = may(caller, rights.assignFindings);
  useCommands((command) => {
    const decision = decisions.find((one) => one === command);
    if (decision !== undefined && mayReview) ask(decision);
    if (command === 'assign' && mayAssign && chosen.length > 0) setAsked('ASSIGN');
  });
  return (
    <section aria-label={texts.title} className={styles['bulk']}>
      {chosen.length > 0 && (
        <div className={controls['actions']}>
          <strong>{texts.selected(chosen.length)}</strong>
          {chosen.length === SELECTED_MAX && <span>{texts.full}</span>}
          {mayReview &&
            decisions.map((decision) => (
              <Button key={decision} isPending={isPending} onPress={() => ask(decision)}>
                {`${reviewTexts.keymap[decision]} (${keyOf[decision]})`}
              </Button>
            ))}
          {mayAssign && (
            <Button isPending={isPending} onPress={() => setAsked('ASSIGN')}>
              {`${reviewTexts.keymap.assign} (${keyOf.assign})`}
            </Button>
          )}
          <Button onPress={onClear}>{texts.clear}</Button>
        </div>
      )}
      <p role="status">
        {outcome !== undefined &&
          texts.done(
            outcome.filter((item) => item.outcome !== 'REFUSED').length,
            outcome.filter((item) => item.outcome === 'REFUSED').length,
          )}
      </p>
      <Refused items={outcome ?? []} />
      {[review.error, assign.error].map(
        (error, index) => error !== null && asked === undefined && <ErrorState key={index} error={error} />,
      )}
      {asked === 'ASSIGN' && (
        <AssignDialog
          assigneeUserId={null}
          error={assign.error}
          isPending={isPending}
          onAssign={(userId) =>
            assign.mutate({ finding_ids: findingIds, assignee_user_id: userId }, { onSuccess: show })
          }
          onClose={() => setAsked(undefined)}
        />
      )}
      {(asked === 'ACCEPTED_RISK' || asked === 'CONFIRMED') && (
        <ReviewDialog
          decision={asked}
          error={review.error}
          isPending={isPending}
          onDecide={(note) => decide(asked, note)}
          onClose={() => setAsked(undefined)}
        />
      )}
    </section>
  );
}

function Refused({ items }: { readonly items: readonly (BatchItem & { readonly summary: string })[] }) {
  const refused = items.flatMap(({ id, summary, error }) => (error === null ? [] : [{ id, summary, error }]));
  if (refused.length === 0) return null;
  return (
    <ul className={controls['notice']}>
      {refused.map(({ id, summary, error }) => (
        <li key={id}>
          <ForeignText>{summary}</ForeignText> {error.message}
        </li>
      ))}
    </ul>
  );
}
