import { useId } from 'react';
import controls from './controls.module.css';

interface Props {
  readonly label: string;
  readonly help?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly options: readonly (readonly [value: string, text: string])[];
}

/** A labelled list of the browser's own, in which typing finds an entry. */
export function Choice({ label, help = '', value, onChange, options }: Props) {
  const id = useId();
  return (
    <div className={controls['field']}>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        className={controls['input']}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        {...(help === '' ? {} : { 'aria-describedby': `${id}-help` })}
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
    </div>
  );
}
