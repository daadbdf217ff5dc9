import { LanguageChoice } from '../../controls/language-choice.js';
import { PageTitle } from '../../controls/page-title.js';
import { messages } from '../../messages/messages.js';
import { SignInForm } from './sign-in-form.js';
import styles from './sign-in-page.module.css';

export function SignInPage({ onSignedIn }: { readonly onSignedIn: () => void }) {
  return (
    <main className={styles['page']}>
      <p className={styles['product']}>{messages.product}</p>
      <PageTitle>{messages.signIn.title}</PageTitle>
      <SignInForm onSignedIn={onSignedIn} />
      <p>
        <a href="/app/restore">{messages.signIn.restore}</a>
      </p>
      <LanguageChoice />
    </main>
  );
}
