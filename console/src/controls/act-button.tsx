import { useMutation } from '@tanstack/react-query';
import { useRefresh } from '../lists.js';
import { Button } from './button.js';
import { ErrorState } from './error-state.js';
import styles from './controls.module.css';

interface Props {
  readonly children: string;
  /** The request that a press sends. It may return a sentence that says what was done. */
  readonly act: () => Promise<string | undefined>;
  /** Names of the cache whose data the request changes. */
  readonly refreshes: readonly string[];
  readonly variant?: 'primary';
}

/** A button that sends a request and says below it what was done, or why not. */
export function ActButton({ children, act, refreshes, variant }: Props) {
  const refresh = useRefresh(refreshes);
  const { mutate, isPending, data, error } = useMutation({ mutationFn: act, onSuccess: refresh });
  return (
    <div className={styles['act']}>
      <Button isPending={isPending} onPress={() => mutate()} {...(variant === undefined ? {} : { variant })}>
        {children}
      </Button>
      <span role="status">{data ?? ''}</span>
      {error !== null && <ErrorState error={error} />}
    </div>
  );
}
