import controls from './controls.module.css';
import { Field } from './field.js';

interface Days {
  readonly from: string;
  readonly to: string;
}

/** Asks for a span of days. An empty end is open. */
export function DayRange({
  labels,
  days,
  onChange,
}: {
  readonly labels: Days;
  readonly days: Days;
  readonly onChange: (changed: Partial<Days>) => void;
}) {
  return (
    <div className={controls['toolbar']}>
      <Field
        label={labels.from}
        help=""
        kind="day"
        value={days.from}
        fault={undefined}
        onChange={(from) => onChange({ from })}
      />
      <Field
        label={labels.to}
        help=""
        kind="day"
        value={days.to}
        fault={undefined}
        onChange={(to) => onChange({ to })}
      />
    </div>
  );
}
