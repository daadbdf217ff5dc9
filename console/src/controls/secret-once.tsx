import { useState } from 'react';
import { messages } from '../messages/messages.js';
import { Button } from './button.js';
import controls from './controls.module.css';
import { Dialog } from './dialog.js';

interface Props {
  readonly title: string;
  readonly text: string;
  readonly secret: string;
  readonly onClose: () => void;
}

/** Shows a secret that the API returns once. It is gone when the dialog closes. */
export function SecretOnce({ title, text, secret, onClose }: Props) {
  const [copied, setCopied] = useState<boolean>();
  const copy = async (): Promise<void> => {
    // A browser refuses the clipboard without permission. The secret can be selected and copied by hand then.
    setCopied(
      await navigator.clipboard.writeText(secret).then(
        () => true,
        () => false,
      ),
    );
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <p>
        <code className={controls['secret']}>{secret}</code>
      </p>
      <div className={controls['actions']}>
        <Button variant="primary" onPress={copy}>
          {messages.copy}
        </Button>
        <Button onPress={onClose}>{messages.close}</Button>
      </div>
      <p role="status">{copied === undefined ? '' : copied ? messages.copied : messages.notCopied}</p>
    </Dialog>
  );
}
