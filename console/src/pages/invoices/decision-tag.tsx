import { messages } from '../../messages/messages.js';
import type { Decision } from './queries.js';
import styles from './invoices.module.css';

/** The decision on an invoice as a word, a shape and a colour. */
export function DecisionTag({ decision }: { readonly decision: Decision }) {
  return (
    <strong className={styles['decision']} data-decision={decision}>
      {messages.invoice.decisions[decision]}
    </strong>
  );
}
