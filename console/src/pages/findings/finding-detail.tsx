import { ApiError } from '@invoicecontrol/client/browser';
import { useState } from 'react';
import { Link } from 'wouter';
import type { Finding } from '../../client.js';
import { Button } from '../../controls/button.js';
import controls from '../../controls/controls.module.css';
import { ErrorState } from '../../controls/error-state.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { Loading } from '../../controls/loading.js';
import { Evidence } from '../../findings/evidence.js';
import { SeverityTag } from '../../findings/severity-tag.js';
import { formatMoment } from '../../format/moment.js';
import { formatMoney } from '../../format/money.js';
import { keyOf } from '../../keymap.js';
import { formatPercent } from '../../format/percent.js';
import { showInvisible } from '../../format/visible-text.js';
import { messages } from '../../messages/messages.js';
import { usePeople } from '../../people.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { Assignment } from './assignment.js';
import { useFinding, useHistory, useReview } from './queries.js';
import type { Decision } from './queries.js';
import { asksFirst } from './asks-first.js';
import { ReviewDialog } from './review-dialog.js';
import { useCommands } from './use-commands.js';
import styles from './findings.module.css';
import { reviewTexts } from '../../findings/texts.js';

const texts = reviewTexts.finding;
const decisions = ['CONFIRMED', 'FALSE_POSITIVE', 'ACCEPTED_RISK', 'RESOLVED', 'UNDER_REVIEW', 'OPEN'] as const;

/** The selected finding: what it says, what to do, its evidence and its history. */
export function FindingDetail({ findingId, hasKeys }: { readonly findingId: string; readonly hasKeys: boolean }) {
  const { data: finding, error, refetch } = useFinding(findingId);
  if (error instanceof ApiError && error.status === 404) return <p>{messages.notFound.text}</p>;
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return finding === undefined ? <Loading /> : <Detail finding={finding} hasKeys={hasKeys} key={finding.id} />;
}

interface DetailProps {
  readonly finding: Finding;
  /** False while the keys decide about the selected findings of the list. */
  readonly hasKeys: boolean;
}

function Detail({ finding, hasKeys }: DetailProps) {
  const { severity, summary, recommendedAction, confidence, disposition, amountAtRisk, amountAtRiskCurrency } = finding;
  const caller = useCaller();
  const { nameOf } = usePeople();
  const isReviewer = may(caller, rights.reviewFindings);
  return (
    <article aria-labelledby="finding">
      <h2 id="finding">
        <ForeignText>{summary}</ForeignText>
      </h2>
      <p className={styles['facts']}>
        <SeverityTag severity={severity} />
        <span>{texts.dispositions[disposition]}</span>
        <span>{texts.confidence(formatPercent(confidence))}</span>
        {amountAtRisk !== null && <span>{texts.atRisk(formatMoney(amountAtRisk, amountAtRiskCurrency ?? ''))}</span>}
        <span>{texts.raised(formatMoment(finding.createdAt))}</span>
        {finding.assigneeUserId !== null && (
          <span>{reviewTexts.assignment.isAssigned(nameOf(`USER:${finding.assigneeUserId}`))}</span>
        )}
        <code>{finding.type}</code>
        {finding.invoiceId !== null && may(caller, rights.readInvoices) && (
          <Link to={`/invoices/${finding.invoiceId}`}>
            {texts.invoice(showInvisible(finding.invoiceNumber ?? reviewTexts.invoice.unread))}
          </Link>
        )}
        {finding.supplierId !== null && (
          <Link to={`/findings?disposition=any&supplier=${finding.supplierId}`}>{reviewTexts.invoice.ofSupplier}</Link>
        )}
      </p>
      {recommendedAction !== null && (
        <>
          <h3>{texts.action}</h3>
          <p>
            <ForeignText>{recommendedAction}</ForeignText>
          </p>
        </>
      )}
      {isReviewer && disposition !== 'SUPERSEDED' && (
        <Review finding={finding} disposition={disposition} hasKeys={hasKeys} />
      )}
      {may(caller, rights.assignFindings) && <Assignment finding={finding} hasKeys={hasKeys} />}
      <h3>{texts.evidence}</h3>
      <Evidence finding={finding} />
      <History findingId={finding.id} />
    </article>
  );
}

/** The decisions about a finding, by button or key, and a button to undo the last one. */
function Review({ finding, disposition, hasKeys }: DetailProps & { readonly disposition: Decision }) {
  const review = useReview();
  // The API states which decisions the finding can have now.
  const { allowedDispositions: allowed = decisions } = finding;
  const offered = decisions.filter((decision) => decision !== disposition && allowed.includes(decision));
  /** Disposition before the last review of a finding on this page, to which the review can be undone. */
  const [before, setBefore] = useState<Decision>();
  const [asked, setAsked] = useState<'ACCEPTED_RISK' | 'CONFIRMED'>();
  const [outcome, setOutcome] = useState('');

  const set = (decision: Decision, said: string, previous: Decision | undefined, note?: string): void => {
    if (review.isPending) return;
    review.mutate(
      {
        findingId: finding.id,
        disposition: decision,
        expected_disposition: disposition,
        ...(note === undefined ? {} : { note }),
      },
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
    if (!offered.includes(decision)) return;
    const dialog = asksFirst(decision, finding);
    if (dialog === undefined) decide(decision);
    else setAsked(dialog);
  };
  const undo = (): void => {
    if (before !== undefined) set(before, texts.undone, undefined);
  };
  useCommands((command) => {
    if (!hasKeys) return;
    const decision = decisions.find((one) => one === command);
    if (decision !== undefined) ask(decision);
    if (command === 'undo') undo();
  });
  return (
    <section aria-label={texts.review}>
      <div className={controls['actions']}>
        {offered.map((decision) => (
          <Button key={decision} isPending={review.isPending} onPress={() => ask(decision)}>
            {`${reviewTexts.keymap[decision]} (${keyOf[decision]})`}
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

function dispositionOf(name: string | undefined): string | undefined {
  return Object.entries(texts.dispositions).find(([known]) => known === name)?.[1];
}

function History({ findingId }: { readonly findingId: string }) {
  const { data: changes } = useHistory(findingId);
  const { nameOf } = usePeople();
  if (changes === undefined) return null;
  return (
    <>
      <h3>{texts.history}</h3>
      <ol>
        {changes.map(({ at, actor, action, to, note }, index) => {
          const became = to === undefined || action !== 'ASSIGNED' ? dispositionOf(to) : nameOf(`USER:${to}`);
          const what = became === undefined ? texts.changes[action] : texts.changeTo(texts.changes[action], became);
          return (
            <li key={`${at} ${index}`}>
              {texts.change(formatMoment(at), nameOf(`${actor.type}:${actor.id}`, actor.name), what)}
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
