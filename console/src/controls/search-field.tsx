import { useEffect, useState } from 'react';
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
  useEffect(() => {
    const timer = setTimeout(() => {
      if (text.trim() !== value) onSearch(text.trim());
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, value, onSearch]);
  return <Field label={label} help="" kind="text" value={text} onChange={setText} fault={undefined} />;
}
