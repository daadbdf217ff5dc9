import { ApiError } from '@invoicecontrol/client/browser';
import { useState } from 'react';
import type { Finding } from '../../client.js';
import { Button } from '../../controls/button.js';
import controls from '../../controls/controls.module.css';
import { ErrorState } from '../../controls/error-state.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { Loading } from '../../controls/loading.js';
import { formatMoment } from '../../format/moment.js';
import { formatMoney } from '../../format/money.js';
import { keyOf } from '../../keymap.js';
import { messages } from '../../messages/messages.js';
import { may, rights } from '../../rights.js';
import { useCaller, usePersonName } from '../../session.js';
import { Evidence } from './evidence.js';
import { useFinding, useHistory, useReview } from './queries.js';
import type { Decision } from './queries.js';
import { ReviewDialog } from './review-dialog.js';
import { SeverityTag } from './severity-tag.js';
import { useCommands } from './use-commands.js';
import styles from './findings.module.css';

const texts = messages.finding;
const decisions = ['CONFIRMED', 'FALSE_POSITIVE', 'ACCEPTED_RISK', 'RESOLVED', 'UNDER_REVIEW', 'OPEN'] as const;
const percent = new Intl.NumberFormat('en-GB', { style: 'percent' });

/** The selected finding: what it says, what to do, its evidence and its history. */
export function FindingDetail({ findingId }: { readonly findingId: string }) {
  const { data: finding, error, refetch } = useFinding(findingId);
  if (error instanceof ApiError && error.status === 404) return <p>{messages.notFound.text}</p>;
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return finding === undefined ? <Loading /> : <Detail finding={finding} key={finding.id} />;
}

function Detail({ finding }: { readonly finding: Finding }) {
  const { severity, summary, recommendedAction, confidence, disposition, amountAtRisk, amountAtRiskCurrency } = finding;
  const isReviewer = may(useCaller(), rights.reviewFindings);
  return (
    <article aria-labelledby="finding">
      <h2 id="finding">
        <ForeignText>{summary}</ForeignText>
      </h2>
      <p className={styles['facts']}>
        <SeverityTag severity={severity} />
        <span>{texts.dispositions[disposition]}</span>
        <span>{texts.confidence(percent.format(confidence))}</span>
        {amountAtRisk !== null && <span>{texts.atRisk(formatMoney(amountAtRisk, amountAtRiskCurrency ?? ''))}</span>}
        <span>{texts.raised(formatMoment(finding.createdAt))}</span>
        <code>{finding.type}</code>
      </p>
      {recommendedAction !== null && (
        <>
          <h3>{texts.action}</h3>
          <p>
            <ForeignText>{recommendedAction}</ForeignText>
          </p>
        </>
      )}
      {isReviewer && disposition !== 'SUPERSEDED' && <Review finding={finding} disposition={disposition} />}
      <h3>{texts.evidence}</h3>
      <Evidence finding={finding} />
      <History findingId={finding.id} />
    </article>
  );
}

/** The decisions about a finding, by button or key, and a button to undo the last one. */
function Review({ finding, disposition }: { readonly finding: Finding; readonly disposition: Decision }) {
  const review = useReview();
  /** Disposition before the last review of a finding on this page, to which the review can be undone. */
  const [before, setBefore] = useState<Decision>();
  const [asked, setAsked] = useState<'ACCEPTED_RISK' | 'CONFIRMED'>();
  const [outcome, setOutcome] = useState('');

  const set = (decision: Decision, said: string, previous: Decision | undefined, note?: string): void => {
    if (review.isPending) return;
    review.mutate(
      { findingId: finding.id, disposition: decision, ...(note === undefined ? {} : { note }) },
      {
        onSuccess() {
          setBefore(previous);
          setOutcome(said);
          setAsked(undefined);
        },
      },
    );
  };
  const decide = (decision: Decision, note?: string): void =>
    set(decision, texts.reviewed(texts.dispositions[decision]), disposition, note);
  const ask = (decision: Decision): void => {
    if (decision === disposition) return;
    // To confirm a finding about an account blocks the account, which is not undone lightly.
    const isBlock = finding.type.startsWith('BANK_');
    if (decision === 'ACCEPTED_RISK' || (decision === 'CONFIRMED' && isBlock)) setAsked(decision);
    else decide(decision);
  };
  const undo = (): void => {
    if (before !== undefined) set(before, texts.undone, undefined);
  };
  useCommands((command) => {
    const decision = decisions.find((one) => one === command);
    if (decision !== undefined) ask(decision);
    if (command === 'undo') undo();
  });
  return (
    <section aria-label={texts.review}>
      <div className={controls['actions']}>
        {decisions
          .filter((decision) => decision !== disposition)
          .map((decision) => (
            <Button key={decision} isPending={review.isPending} onPress={() => ask(decision)}>
              {`${messages.keymap[decision]} (${keyOf[decision]})`}
            </Button>
          ))}
        {before !== undefined && <Button onPress={undo}>{`${texts.undo} (${keyOf.undo})`}</Button>}
      </div>
      <p role="status">{outcome}</p>
      {review.error !== null && asked === undefined && <ErrorState error={review.error} />}
      {asked !== undefined && (
        <ReviewDialog
          decision={asked}
          error={review.error}
          isPending={review.isPending}
          onDecide={(note) => decide(asked, note)}
          onClose={() => setAsked(undefined)}
        />
      )}
    </section>
  );
}

function History({ findingId }: { readonly findingId: string }) {
  const { data: changes } = useHistory(findingId);
  const nameOf = usePersonName();
  if (changes === undefined) return null;
  return (
    <>
      <h3>{texts.history}</h3>
      <ol>
        {changes.map(({ at, actor, action, to, note }, index) => {
          const known = Object.entries(texts.dispositions).find(([name]) => name === to)?.[1];
          const what = known === undefined ? texts.changes[action] : texts.changeTo(texts.changes[action], known);
          return (
            <li key={`${at} ${index}`}>
              {texts.change(formatMoment(at), nameOf(`${actor.type}:${actor.id}`), what)}
              {note !== undefined && (
                <blockquote>
                  <ForeignText>{note}</ForeignText>
                </blockquote>
              )}
            </li>
          );
        })}
      </ol>
    </>
  );
}
