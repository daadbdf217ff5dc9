import type { Decision } from './queries.js';
import styles from './invoices.module.css';
import { reviewTexts } from '../../findings/texts.js';

/** The decision on an invoice as a word, a shape and a colour. */
export function DecisionTag({ decision }: { readonly decision: Decision }) {
  return (
    <strong className={styles['decision']} data-decision={decision}>
      {reviewTexts.invoice.decisions[decision]}
    </strong>
  );
}
