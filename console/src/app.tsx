import { QueryClientProvider } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { I18nProvider } from 'react-aria-components';
import { Router } from 'wouter';
import { AppShell } from './app-shell.js';
import { ErrorState } from './controls/error-state.js';
import { Loading } from './controls/loading.js';
import { locale } from './messages/language.js';
import { SignInPage } from './pages/sign-in/sign-in-page.js';
import { IdleWarning } from './idle-warning.js';
import { createQueryClient } from './query-client.js';
import { Pages } from './routes.js';
import { CallerContext, useSignedIn } from './session.js';

/** The sign-in dialog is a chunk of its own, because most sessions never show it. */
const SignInDialog = lazy(async () => ({ default: (await import('./pages/sign-in/sign-in-dialog.js')).SignInDialog }));

export function App() {
  const [isEnded, setEnded] = useState(false);
  const [queries] = useState(() => createQueryClient(() => setEnded(true)));
  return (
    <I18nProvider locale={locale}>
      <QueryClientProvider client={queries}>
        <Router base="/app">
          <SignedIn isEnded={isEnded} onIdle={() => setEnded(true)} onSignedIn={() => setEnded(false)} />
        </Router>
      </QueryClientProvider>
    </I18nProvider>
  );
}

/**
 * Shows the pages of the console to a signed-in person. A session that ends leaves the page, with its drafts, behind a
 * dialog.
 */
function SignedIn({
  isEnded,
  onIdle,
  onSignedIn,
}: {
  readonly isEnded: boolean;
  readonly onIdle: () => void;
  readonly onSignedIn: () => void;
}) {
  const { data: caller, error, refetch } = useSignedIn();
  if (caller === undefined) {
    return <main>{error === null ? <Loading /> : <ErrorState error={error} onRetry={() => void refetch()} />}</main>;
  }
  if (caller === null) return <SignInPage onSignedIn={onSignedIn} />;
  return (
    <CallerContext value={caller}>
      <AppShell>
        <Pages />
      </AppShell>
      {!isEnded && <IdleWarning onIdle={onIdle} />}
      {isEnded && (
        <Suspense>
          <SignInDialog onSignedIn={onSignedIn} />
        </Suspense>
      )}
    </CallerContext>
  );
}
