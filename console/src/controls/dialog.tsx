import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import styles from './controls.module.css';

interface Props {
  readonly title: string;
  readonly children: ReactNode;
  /** Callback for the moment when a person leaves the dialog. Absent if it cannot be left. */
  readonly onClose?: () => void;
}

/** A dialog above the page, which keeps the focus until it is closed. */
export function Dialog({ title, children, onClose }: Props) {
  return (
    <ModalOverlay
      isOpen
      className={styles['overlay'] ?? ''}
      isKeyboardDismissDisabled={onClose === undefined}
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose?.();
      }}
    >
      <Modal className={styles['modal'] ?? ''}>
        <AriaDialog>
          <Heading slot="title" level={2}>
            {title}
          </Heading>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
