import type { Finding } from '../client.js';
import { messages } from '../messages/messages.js';
import styles from './evidence.module.css';

/** The severity of a finding as a word, a shape and a colour, because people tell apart one or the other. */
export function SeverityTag({ severity }: { readonly severity: Finding['severity'] }) {
  return (
    <span className={styles['severity']} data-severity={severity}>
      {messages.finding.severities[severity]}
    </span>
  );
}
