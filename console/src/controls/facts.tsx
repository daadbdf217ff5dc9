import type { ReactNode } from 'react';
import styles from './controls.module.css';

/** Shows what is known of a record: names with their values. A value that is not known is left out. */
export function Facts({ facts }: { readonly facts: Readonly<Record<string, ReactNode>> }) {
  return (
    <dl className={styles['facts']}>
      {Object.entries(facts).map(
        ([name, value]) =>
          value !== undefined &&
          value !== null && (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
