import { useState } from 'react';
import styles from './controls.module.css';

interface Props {
  readonly children: string;
  /** Name for screen readers, if the text alone does not say what the button is about. */
  readonly label?: string;
  /** Work that a press of the button starts. */
  readonly onPress?: () => unknown;
  readonly type?: 'submit';
  readonly variant?: 'primary';
  /** True while work runs that the button must not start again. */
  readonly isPending?: boolean;
}

/** A button that ignores presses while its work runs. It keeps the focus then, which a disabled button would lose. */
export function Button({ children, label, onPress, type, variant, isPending = false }: Props) {
  const [isRunning, setRunning] = useState(false);
  const isBusy = isPending || isRunning;
  const press = async (): Promise<void> => {
    if (isBusy) return;
    setRunning(true);
    try {
      await onPress?.();
    } finally {
      setRunning(false);
    }
  };
  return (
    <button
      type={type ?? 'button'}
      className={styles['button']}
      data-variant={variant}
      data-busy={isBusy || undefined}
      aria-label={label}
      onClick={() => void press()}
    >
      {children}
    </button>
  );
}
