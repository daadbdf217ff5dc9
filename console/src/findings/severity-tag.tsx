import type { Finding } from '../client.js';
import styles from './evidence.module.css';
import { reviewTexts } from './texts.js';

/** The severity of a finding as a word, a shape and a colour, because people tell apart one or the other. */
export function SeverityTag({ severity }: { readonly severity: Finding['severity'] }) {
  return (
    <span className={styles['severity']} data-severity={severity}>
      {reviewTexts.finding.severities[severity]}
    </span>
  );
}
