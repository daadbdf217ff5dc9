import { useId } from 'react';
import styles from './controls.module.css';

interface Props {
  readonly label: string;
  readonly help: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** What is wrong with the value of a form field. Undefined if nothing is. */
  readonly fault: string | undefined;
  readonly kind: 'text' | 'secret' | 'paragraphs' | 'day';
}

const inputs = {
  text: { type: 'text', autoComplete: 'off' },
  secret: { type: 'password', autoComplete: 'off' },
  day: { type: 'date' },
} as const;

/** A labelled form field, whose fault is announced with it. */
export function Field({ label, help, value, onChange, fault, kind }: Props) {
  const id = useId();
  const described = [help !== '' && `${id}-help`, fault !== undefined && `${id}-fault`].filter(Boolean).join(' ');
  const common = {
    id,
    className: styles['input'],
    value,
    'aria-invalid': fault !== undefined,
    ...(described === '' ? {} : { 'aria-describedby': described }),
  } as const;
  return (
    <div className={styles['field']}>
      <label htmlFor={id}>{label}</label>
      {kind === 'paragraphs' ? (
        <textarea {...common} rows={4} onChange={({ target }) => onChange(target.value)} />
      ) : (
        <input {...common} {...inputs[kind]} spellCheck={false} onChange={({ target }) => onChange(target.value)} />
      )}
      {help !== '' && (
        <span id={`${id}-help`} className={styles['help']}>
          {help}
        </span>
      )}
      {fault !== undefined && (
        <span id={`${id}-fault`} className={styles['fault']}>
          {fault}
        </span>
      )}
    </div>
  );
}
