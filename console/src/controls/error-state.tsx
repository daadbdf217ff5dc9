import { ApiError, NetworkError } from '@invoicecontrol/client/browser';
import { messages } from '../messages/messages.js';
import { Button } from './button.js';
import styles from './controls.module.css';

/** Shows why a request failed, in the sentence of the API, with the faults of a file and the id of the request. */
export function ErrorState({
  error,
  title,
  onRetry,
}: {
  readonly error: Error;
  readonly title?: string;
  readonly onRetry?: () => void;
}) {
  const isRefusal = error instanceof ApiError;
  return (
    <div role="alert" className={`${styles['notice']} ${styles['error']}`}>
      {title !== undefined && <strong>{title}</strong>}
      <p>{sentenceOf(error)}</p>
      {isRefusal && error.details.length > 0 && (
        <ul>
          {error.details.map(({ path, message }, index) => (
            <li key={`${path} ${index}`}>{messages.faultAt(path, message)}</li>
          ))}
        </ul>
      )}
      {isRefusal && error.requestId !== undefined && (
        <p className={styles['quiet']}>{messages.reference(error.requestId)}</p>
      )}
      {onRetry !== undefined && <Button onPress={onRetry}>{messages.retry}</Button>}
    </div>
  );
}

/** Returns the sentence that says why a request failed. */
export function sentenceOf(error: Error): string {
  if (error instanceof ApiError) return error.message;
  return error instanceof NetworkError ? messages.unreachable : messages.unexpected;
}
