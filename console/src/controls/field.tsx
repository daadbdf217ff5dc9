import { FieldError, Input, Label, Text, TextArea, TextField } from 'react-aria-components';
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
  return (
    <TextField
      className={styles['field'] ?? ''}
      value={value}
      onChange={onChange}
      isInvalid={fault !== undefined}
      validationBehavior="aria"
      {...(kind === 'paragraphs' ? {} : inputs[kind])}
    >
      <Label>{label}</Label>
      {kind === 'paragraphs' ? (
        <TextArea className={styles['input'] ?? ''} rows={4} />
      ) : (
        <Input className={styles['input'] ?? ''} spellCheck={false} />
      )}
      {help !== '' && (
        <Text slot="description" className={styles['help'] ?? ''}>
          {help}
        </Text>
      )}
      <FieldError className={styles['fault'] ?? ''}>{fault}</FieldError>
    </TextField>
  );
}
