import { useEffect, useRef, useState } from 'react';
import { Field } from './field.js';

/** Time after the last key at which a search begins, so that it does not begin with each letter. */
const PAUSE_MS = 300;

/** A field that searches while a person types. */
export function SearchField({
  label,
  value,
  onSearch,
}: {
  readonly label: string;
  readonly value: string;
  readonly onSearch: (text: string) => void;
}) {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (typed: string): void => {
    setText(typed);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onSearch(typed.trim()), PAUSE_MS);
  };
  return <Field label={label} help="" kind="text" value={text} onChange={type} fault={undefined} />;
}
