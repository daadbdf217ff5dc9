import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { useRefresh } from '../lists.js';
import { messages } from '../messages/messages.js';
import { Button } from './button.js';
import { Choice } from './choice.js';
import controls from './controls.module.css';
import { ErrorState } from './error-state.js';
import { Field } from './field.js';

/** One value of a choice, with its text. */
export type Option = readonly [value: string, text: string];

interface FieldSpec {
  readonly label: string;
  readonly help?: string;
  /** Value with which the form opens. */
  readonly value?: string;
  /** False if the value may stay empty. */
  readonly isRequired?: false;
  readonly kind: 'text' | 'secret' | 'paragraphs' | 'day' | 'choice';
  readonly options?: readonly Option[];
}

/** The values of a form by the names of its fields. */
export type Values = Readonly<Record<string, string>>;

/** Returns the values with which a form opens. */
export function valuesOf(fields: Readonly<Record<string, FieldSpec>>): Values {
  return Object.fromEntries(Object.entries(fields).map(([name, { value = '' }]) => [name, value]));
}

export interface RequestFormProps<Name extends string> {
  readonly submit: string;
  readonly fields: Readonly<Record<Name, FieldSpec>>;
  /** Sends the request. Values have no blanks around them. */
  readonly act: (values: Readonly<Record<Name, string>>) => Promise<unknown>;
  /** Names of the cache whose data the request changes. */
  readonly refreshes: readonly string[];
  /** What is missing in the children, if anything: the form is not sent then. */
  readonly fault?: string | undefined;
  /** The values of the form, for a page that changes them too. Absent if only the form changes them. */
  readonly state?: readonly [Values, (change: (before: Values) => Values) => void];
  /** Called when a person enters a field. */
  readonly onEnter?: (name: Name) => void;
  /** Controls of the form that are no field, such as boxes to tick. */
  readonly children?: ReactNode;
  /** Called when the request has succeeded. */
  readonly onDone: () => void;
  readonly onCancel?: () => void;
}

/** A form whose values become one request. */
export function RequestForm<Name extends string>({
  submit,
  fields,
  act,
  refreshes,
  fault,
  state,
  onEnter,
  children,
  onDone,
  onCancel,
}: RequestFormProps<Name>) {
  const specs = Object.entries<FieldSpec>(fields);
  const own = useState(() => valuesOf(fields));
  const [values, setValues] = state ?? own;
  const [faults, setFaults] = useState<ReadonlySet<string>>(new Set());
  const [isTried, setTried] = useState(false);
  const refresh = useRefresh(refreshes);
  const { mutate, isPending, error } = useMutation({ mutationFn: act, onSuccess: refresh });

  const send = (): void => {
    if (isPending) return;
    setTried(true);
    const entered = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.trim()]));
    const missing = specs.filter(([name, { isRequired = true }]) => isRequired && entered[name] === '');
    setFaults(new Set(missing.map(([name]) => name)));
    if (missing.length === 0 && fault === undefined) mutate(entered as Record<Name, string>, { onSuccess: onDone });
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {specs.map(([name, { label, help = '', kind, options = [] }]) => {
        const value = values[name] ?? '';
        const onChange = (changed: string): void => setValues((before) => ({ ...before, [name]: changed }));
        const common = {
          label,
          help,
          value,
          onChange,
          fault: faults.has(name) ? messages.fieldEmpty : undefined,
        };
        return (
          <div key={name} onFocus={() => onEnter?.(name as Name)}>
            {kind === 'choice' ? <Choice {...common} options={options} /> : <Field {...common} kind={kind} />}
          </div>
        );
      })}
      {children}
      {fault !== undefined && (
        <p role="status" className={controls['fault']}>
          {isTried ? fault : ''}
        </p>
      )}
      {error !== null && <ErrorState error={error} />}
      <div className={controls['actions']}>
        <Button type="submit" variant="primary" isPending={isPending}>
          {submit}
        </Button>
        {onCancel !== undefined && <Button onPress={onCancel}>{messages.cancel}</Button>}
      </div>
    </form>
  );
}
