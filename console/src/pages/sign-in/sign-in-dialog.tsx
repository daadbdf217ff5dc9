import { Dialog } from '../../controls/dialog.js';
import { messages } from '../../messages/messages.js';
import { SignInForm } from './sign-in-form.js';

/** Asks to sign in again above the page whose session has ended, so that what was typed there stays. */
export function SignInDialog({ onSignedIn }: { readonly onSignedIn: () => void }) {
  return (
    <Dialog title={messages.signIn.title}>
      <p>{messages.signIn.ended}</p>
      <SignInForm onSignedIn={onSignedIn} />
    </Dialog>
  );
}
