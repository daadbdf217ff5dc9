import { useState } from 'react';
import type { PaymentLine } from '../../client.js';
import { Button } from '../../controls/button.js';
import { ErrorState } from '../../controls/error-state.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { Loading } from '../../controls/loading.js';
import { formatDay, formatMoment } from '../../format/moment.js';
import { formatMoney } from '../../format/money.js';
import { messages } from '../../messages/messages.js';
import { may, rights } from '../../rights.js';
import { useCaller } from '../../session.js';
import { LineReason } from './line-reason.js';
import { LineRelease } from './line-release.js';
import { useLines } from './queries.js';
import type { Verdict } from './queries.js';
import { ReleaseDialog } from './release-dialog.js';
import styles from './payment-runs.module.css';
import { runTexts } from './texts.js';

const texts = runTexts.line;

/** The lines of a payment run with one verdict, in the order of the file. */
export function LineList({ runId, verdict }: { readonly runId: string; readonly verdict: Verdict }) {
  const { data, error, refetch, hasNextPage, fetchNextPage } = useLines(runId, verdict);
  const [released, setReleased] = useState<PaymentLine>();
  const [outcome, setOutcome] = useState('');
  const lines = data?.pages.flatMap(({ items }) => items);
  return (
    <>
      <p role="status">{outcome}</p>
      {error !== null && <ErrorState error={error} onRetry={() => void refetch()} />}
      {lines === undefined && error === null && <Loading />}
      <ol className={styles['lines']}>
        {lines?.map((line) => (
          <Line key={line.id} line={line} onRelease={() => setReleased(line)} />
        ))}
      </ol>
      {hasNextPage && <Button onPress={() => fetchNextPage()}>{messages.showMore}</Button>}
      {released !== undefined && (
        <ReleaseDialog
          runId={runId}
          line={released}
          onDone={(isPending) => {
            setReleased(undefined);
            setOutcome(isPending ? runTexts.release.pending : runTexts.release.done);
          }}
          onClose={() => setReleased(undefined)}
        />
      )}
    </>
  );
}

function Line({ line, onRelease }: { readonly line: PaymentLine; readonly onRelease: () => void }) {
  const isDecider = may(useCaller(), rights.writePayments);
  const { amount, currency, creditorName, creditorAccount, endToEndId, remittance, givenAt, outcome } = line;
  const heading = `line-${line.id}`;
  return (
    <li className={styles['line']}>
      <article aria-labelledby={heading}>
        <h3 id={heading} className={styles['line-title']}>
          <span>{formatMoney(amount, currency)}</span>{' '}
          <span>
            {texts.to} {creditorName === null ? texts.noName : <ForeignText>{creditorName}</ForeignText>}
          </span>
        </h3>
        <p className={styles['line-facts']}>
          <span>{creditorAccount ?? texts.noAccount}</span>
          {endToEndId !== null && (
            <span>
              {texts.reference} <ForeignText>{endToEndId}</ForeignText>
            </span>
          )}
          {remittance.length > 0 && (
            <span>
              {texts.text}: <ForeignText>{remittance.join(' ')}</ForeignText>
            </span>
          )}
        </p>
        {line.reasons.map((reason) => (
          <LineReason key={reason.code} reason={reason} />
        ))}
        {line.notices.length > 0 && (
          <>
            <h4>{texts.notices}</h4>
            <ul>
              {line.notices.map(({ code, summary }) => (
                <li key={code}>
                  <ForeignText>{summary}</ForeignText>
                </li>
              ))}
            </ul>
          </>
        )}
        {line.invoices.length > 0 && (
          <>
            <h4>{texts.pays}</h4>
            <ul>
              {line.invoices.map((invoice) => (
                <li key={invoice.invoiceId}>
                  <ForeignText>
                    {texts.paysInvoice(invoice.invoiceNumber, formatMoney(invoice.amount, currency))}
                  </ForeignText>
                </li>
              ))}
            </ul>
          </>
        )}
        {line.candidates.length > 0 && (
          <>
            <h4>{texts.candidates}</h4>
            <ul>
              {line.candidates.map(({ invoiceId, whyNot }) => (
                <li key={invoiceId}>
                  <code>{invoiceId}</code>: {texts.whyNot[whyNot] ?? whyNot}
                </li>
              ))}
            </ul>
          </>
        )}
        {givenAt !== null && <p>{texts.given(formatMoment(givenAt))}</p>}
        {outcome !== null && outcome.at !== null && <p>{texts.bank(outcome.status, formatMoment(outcome.at))}</p>}
        {outcome?.booked.map(({ paymentId, amount: paid, currency: paidIn, date }) => (
          <p key={paymentId}>{texts.booked(formatMoney(paid, paidIn), formatDay(date))}</p>
        ))}
        <LineRelease line={line} onRelease={isDecider ? onRelease : undefined} />
      </article>
    </li>
  );
}
