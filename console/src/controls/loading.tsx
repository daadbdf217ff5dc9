import { useEffect, useState } from 'react';
import { messages } from '../messages/messages.js';
import styles from './controls.module.css';

/** Time after which the console shows that it is waiting, so that quick responses do not flicker. */
const SHOWN_AFTER_MS = 150;

export function Loading() {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), SHOWN_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <p role="status" className={styles['help']}>
      {isShown ? messages.loading : ''}
    </p>
  );
}
