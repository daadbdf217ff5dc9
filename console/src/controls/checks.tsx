import controls from './controls.module.css';

interface Props {
  readonly label: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly chosen: readonly string[];
  /** Number of boxes that may be ticked at once. Undefined if any number may be. */
  readonly chosenMax?: number;
  readonly onChange: (chosen: readonly string[]) => void;
}

/** A group of boxes of which several may be ticked. */
export function Checks({ label, options, chosen, chosenMax = options.length, onChange }: Props) {
  return (
    <fieldset className={controls['checks']}>
      <legend>{label}</legend>
      {options.map(([value, text]) => (
        <label key={value}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            disabled={!chosen.includes(value) && chosen.length >= chosenMax}
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
