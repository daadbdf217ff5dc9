import { ApiError } from '@invoicecontrol/client/browser';
import { lazy, Suspense, useEffect, useState } from 'react';
import { client, idleMs } from './client.js';

/** Time after its last use at which a session of the console ends, as the API states in its description. */
const IDLE_MS = 30 * 60_000;
/** Time before the end of a session at which the person is warned. */
const WARNING_MS = 60_000;
const POLL_EACH_MS = 1_000;

const IdleDialog = lazy(async () => ({ default: (await import('./pages/sign-in/idle-dialog.js')).IdleDialog }));

/**
 * Warns a person a minute before the session ends because nothing was done, and then calls `onIdle`. Without it, the
 * next act of the person would be the first to tell.
 */
export function IdleWarning({ onIdle }: { readonly onIdle: () => void }) {
  const [isWarning, setWarning] = useState(false);
  useEffect(() => {
    const timer = setInterval(() => {
      const idle = idleMs();
      setWarning(idle >= IDLE_MS - WARNING_MS);
      if (idle >= IDLE_MS) onIdle();
    }, POLL_EACH_MS);
    return () => clearInterval(timer);
  }, [onIdle]);
  if (!isWarning) return null;
  const stay = async (): Promise<void> => {
    try {
      await client.get('/me');
      setWarning(false);
    } catch (error) {
      // Without a response of the API the warning about the end of the session stays, and the person can try again.
      if (error instanceof ApiError) onIdle();
    }
  };
  return (
    <Suspense>
      <IdleDialog onStay={stay} />
    </Suspense>
  );
}
