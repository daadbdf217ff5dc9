import controls from './controls.module.css';

interface Props {
  readonly label: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** A group of boxes of which any number may be ticked. */
export function Checks({ label, options, chosen, onChange }: Props) {
  return (
    <fieldset className={controls['checks']}>
      <legend>{label}</legend>
      {options.map(([value, text]) => (
        <label key={value}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, value] : chosen.filter((one) => one !== value))
            }
          />{' '}
          {text}
        </label>
      ))}
    </fieldset>
  );
}
