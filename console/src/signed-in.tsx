import { lazy, Suspense } from 'react';
import { I18nProvider } from 'react-aria-components';
import { Router } from 'wouter';
import { AppShell } from './app-shell.js';
import type { Caller } from './client.js';
import { IdleWarning } from './idle-warning.js';
import { locale } from './messages/language.js';
import { Pages } from './routes.js';
import { CallerContext } from './session.js';

/** The sign-in dialog is a chunk of its own, because most sessions never show it. */
const SignInDialog = lazy(async () => ({ default: (await import('./pages/sign-in/sign-in-dialog.js')).SignInDialog }));

interface Props {
  readonly caller: Caller;
  readonly isEnded: boolean;
  readonly onIdle: () => void;
  readonly onSignedIn: () => void;
}

/**
 * What a signed-in person sees: the frame with the pages. It is a chunk of its own, which the sign-in does not load. A
 * session that ends leaves the page, with its drafts, behind a dialog.
 */
export function SignedIn({ caller, isEnded, onIdle, onSignedIn }: Props) {
  return (
    <I18nProvider locale={locale}>
      <Router base="/app">
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
      </Router>
    </I18nProvider>
  );
}
