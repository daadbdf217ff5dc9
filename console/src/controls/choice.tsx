import { useId } from 'react';
import controls from './controls.module.css';

interface Props {
  readonly label: string;
  readonly help?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly options: readonly (readonly [value: string, text: string])[];
  /** What is wrong with the choice. Undefined if nothing is. */
  readonly fault?: string | undefined;
}

/** A labelled list of the browser's own, in which typing finds an entry. */
export function Choice({ label, help = '', value, onChange, options, fault }: Props) {
  const id = useId();
  const described = [help !== '' && `${id}-help`, fault !== undefined && `${id}-fault`].filter(Boolean).join(' ');
  return (
    <div className={controls['field']}>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        className={controls['input']}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        aria-invalid={fault !== undefined}
        {...(described === '' ? {} : { 'aria-describedby': described })}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
      {help !== '' && (
        <span id={`${id}-help`} className={controls['help']}>
          {help}
        </span>
      )}
      {fault !== undefined && (
        <span id={`${id}-fault`} className={controls['fault']}>
          {fault}
        </span>
      )}
    </div>
  );
}
