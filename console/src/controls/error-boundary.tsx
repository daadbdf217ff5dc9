import { Component } from 'react';
import type { ReactNode } from 'react';
import { messages } from '../messages/messages.js';
import { Button } from './button.js';
import styles from './controls.module.css';

interface Props {
  readonly children: ReactNode;
}

/**
 * Shows a sentence in place of a page that failed, for example because a part of the app could not be loaded after a
 * new version was installed. React offers this only to classes.
 */
export class ErrorBoundary extends Component<Props, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { readonly hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children;
    return (
      <div role="alert" className={`${styles['notice']} ${styles['error']}`}>
        <p>{messages.unexpected}</p>
        <Button onPress={() => location.reload()}>{messages.reload}</Button>
      </div>
    );
  }
}
