import type { ReactNode } from 'react';
import { Dialog } from './dialog.js';
import { RequestForm } from './request-form.js';
import type { RequestFormProps } from './request-form.js';

interface Props<Name extends string> extends Omit<RequestFormProps<Name>, 'onDone' | 'onCancel'> {
  readonly title: string;
  readonly text?: ReactNode;
  readonly onClose: () => void;
}

/** A dialog with a form whose values become one request. It closes when the request has succeeded. */
export function FormDialog<Name extends string>({ title, text, onClose, ...form }: Props<Name>) {
  return (
    <Dialog title={title} onClose={onClose}>
      {text}
      <RequestForm {...form} onDone={onClose} onCancel={onClose} />
    </Dialog>
  );
}
