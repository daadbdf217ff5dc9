import { Checks } from './checks.js';
import controls from './controls.module.css';

interface Props {
  readonly label: string;
  /** Text for a menu in which nothing is ticked, so that everything is shown. */
  readonly any: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** Number of values of one filter that the API takes. */
const CHOSEN_MAX = 8;

/** A filter of which several values may be ticked. Closed, it states what is ticked. */
export function CheckMenu({ label, any, options, chosen, onChange }: Props) {
  const names = options.filter(([value]) => chosen.includes(value)).map(([, text]) => text);
  return (
    <div>
      <span className={controls['label']} aria-hidden>
        {label}
      </span>
      <details className={controls['menu']}>
        <summary className={controls['input']}>
          <span className="visually-hidden">{label}: </span>
          {names.length === 0 ? any : names.join(', ')}
        </summary>
        <Checks label={label} options={options} chosen={chosen} chosenMax={CHOSEN_MAX} onChange={onChange} />
      </details>
    </div>
  );
}
