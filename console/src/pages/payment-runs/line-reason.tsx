import type { PaymentLine } from '../../client.js';
import { ForeignText } from '../../controls/foreign-text.js';
import { messages } from '../../messages/messages.js';
import styles from './payment-runs.module.css';

const texts = messages.line;

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
          <table className={styles['evidence']}>
            <thead>
              <tr>
                <th scope="col">{texts.field}</th>
                <th scope="col">{texts.ofPayment}</th>
                <th scope="col">{texts.ofRecord}</th>
              </tr>
            </thead>
            <tbody>
              {comparisons.map(({ field, invoiceId = '', line, record }, index) => (
                <tr key={`${field} ${invoiceId} ${index}`}>
                  <th scope="row">{texts.fields[field] ?? field.replaceAll('_', ' ')}</th>
                  <td data-column={texts.ofPayment}>
                    {line === null ? texts.noValue : <ForeignText>{line}</ForeignText>}
                  </td>
                  <td data-column={texts.ofRecord}>
                    {record === null ? texts.noValue : <ForeignText>{record}</ForeignText>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
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
