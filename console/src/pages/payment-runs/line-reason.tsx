import type { PaymentLine } from '../../client.js';
import { Rows } from '../../controls/data-table.js';
import type { Column } from '../../controls/data-table.js';
import { ForeignText } from '../../controls/foreign-text.js';
import styles from './payment-runs.module.css';
import { runTexts } from './texts.js';

const texts = runTexts.line;

type Comparison = PaymentLine['reasons'][number]['evidence']['comparisons'][number];

const columns: readonly Column<Comparison>[] = [
  [texts.field, ({ field }) => texts.fields[field] ?? field.replaceAll('_', ' ')],
  [texts.ofPayment, ({ line }) => <Value>{line}</Value>],
  [texts.ofRecord, ({ record }) => <Value>{record}</Value>],
];

function Value({ children }: { readonly children: string | null }) {
  return children === null ? texts.noValue : <ForeignText>{children}</ForeignText>;
}

/** One reason that holds a payment, with the values of the payment beside those of our records. */
export function LineReason({ reason }: { readonly reason: PaymentLine['reasons'][number] }) {
  const { comparisons, explanation } = reason.evidence;
  return (
    <section className={styles['reason']}>
      <h4>
        {texts.reasonTitles[reason.code] ?? reason.code} <code>{reason.code}</code>
      </h4>
      <p>
        <ForeignText>{reason.summary}</ForeignText>
      </p>
      <details>
        <summary>{texts.evidence}</summary>
        {comparisons.length > 0 && (
          <Rows
            label={texts.evidence}
            rows={comparisons}
            columns={columns}
            keyOf={({ field, invoiceId = '' }, index) => `${field} ${invoiceId} ${index}`}
          />
        )}
        <ul>
          {explanation.map((sentence) => (
            <li key={sentence}>
              <ForeignText>{sentence}</ForeignText>
            </li>
          ))}
        </ul>
      </details>
    </section>
  );
}
