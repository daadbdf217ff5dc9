import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { Button } from './controls/button.js';
import { ErrorState } from './controls/error-state.js';
import { LanguageChoice } from './controls/language-choice.js';
import { messages } from './messages/messages.js';
import { navigationOf } from './navigation.js';
import { useCaller, useSignOut } from './session.js';
import styles from './app-shell.module.css';

/** The frame of every page of the console: the navigation, the signed-in person and the content. */
export function AppShell({ children }: { readonly children: ReactNode }) {
  const caller = useCaller();
  const signOut = useSignOut();
  const [error, setError] = useState<Error>();
  const content = useRef<HTMLElement>(null);
  useFocusOnNavigation(content);
  const [path] = useLocation();
  const isWithin = (to: string): boolean => path === to || path.startsWith(`${to}/`);
  const entries = navigationOf(caller);
  const group = entries.find(({ below }) => below.length > 1 && below.some(({ to }) => isWithin(to)));
  const { user, key, organization } = caller;
  // The e-mail address of a signed-in person is shown in place of a missing name. The first owner of an organization
  // may have none.
  const name = user === null ? key.name : user.name === '' ? user.email : user.name;
  return (
    <>
      <a className={styles['skip']} href="#content">
        {messages.skipToContent}
      </a>
      <header className={styles['header']}>
        <span className={styles['product']}>{messages.product}</span>
        <nav aria-label={messages.navigation.label}>
          {entries.map(({ to, text, below }) => (
            <NavigationLink key={to} to={to} isHere={[to, ...below.map((one) => one.to)].some(isWithin)}>
              {text}
            </NavigationLink>
          ))}
        </nav>
        <section className={styles['account']} aria-label={messages.account.label}>
          <span>
            <bdi>{organization.name}</bdi> · {messages.account.as(name, key.role)}
          </span>
          <LanguageChoice />
          <Button onPress={() => signOut().catch(setError)}>{messages.account.signOut}</Button>
        </section>
      </header>
      {group !== undefined && (
        <nav aria-label={group.text} className={styles['group']}>
          {group.below.map(({ to, text }) => (
            <NavigationLink key={to} to={to} isHere={isWithin(to)}>
              {text}
            </NavigationLink>
          ))}
        </nav>
      )}
      <main id="content" ref={content} tabIndex={-1} className={styles['content']}>
        {error !== undefined && <ErrorState error={error} />}
        {children}
      </main>
    </>
  );
}

function NavigationLink({
  to,
  isHere,
  children,
}: {
  readonly to: string;
  readonly isHere: boolean;
  readonly children: string;
}) {
  return (
    <Link to={to} {...(isHere ? { 'aria-current': 'page' as const } : {})} className={styles['link']}>
      {children}
    </Link>
  );
}

/**
 * Moves the keyboard focus to the content when the path of the page changes, so that a screen reader reads the new
 * page.
 */
function useFocusOnNavigation(content: React.RefObject<HTMLElement | null>): void {
  const [path] = useLocation();
  const before = useRef(path);
  useEffect(() => {
    if (before.current !== path) content.current?.focus({ preventScroll: true });
    before.current = path;
  }, [path, content]);
}
