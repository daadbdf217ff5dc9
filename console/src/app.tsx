import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { ErrorBoundary } from './controls/error-boundary.js';
import { ErrorState } from './controls/error-state.js';
import { Loading } from './controls/loading.js';
import { SignInPage } from './pages/sign-in/sign-in-page.js';
import { createQueryClient } from './query-client.js';
import { useSignedIn } from './session.js';

/** The only page besides the sign-in that needs nobody to be signed in. */
const RESTORE_PATH = '/app/restore';

const RestorePage = lazy(() => import('./pages/restore/restore-page.js'));
const SignedIn = lazy(async () => ({ default: (await import('./signed-in.js')).SignedIn }));

export function App() {
  const [isEnded, setEnded] = useState(false);
  const [queries] = useState(() => createQueryClient(() => setEnded(true)));
  return (
    <QueryClientProvider client={queries}>
      <ErrorBoundary>
        <Suspense fallback={<Loading />}>
          {location.pathname === RESTORE_PATH ? (
            <RestorePage />
          ) : (
            <Content isEnded={isEnded} onIdle={() => setEnded(true)} onSignedIn={() => setEnded(false)} />
          )}
        </Suspense>
      </ErrorBoundary>
    </QueryClientProvider>
  );
}

/** Shows the pages of the console to a signed-in person, and the sign-in to everybody else. */
function Content(props: { readonly isEnded: boolean; readonly onIdle: () => void; readonly onSignedIn: () => void }) {
  const { data: caller, error, refetch } = useSignedIn();
  if (caller === undefined) {
    return <main>{error === null ? <Loading /> : <ErrorState error={error} onRetry={() => void refetch()} />}</main>;
  }
  if (caller === null) return <SignInPage onSignedIn={props.onSignedIn} />;
  return <SignedIn caller={caller} {...props} />;
}
