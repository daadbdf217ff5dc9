import { useState } from 'react';
import controls from '../../controls/controls.module.css';
import { Loading } from '../../controls/loading.js';
import { showInvisible } from '../../format/visible-text.js';
import type { NamedField } from './document-view.js';
import styles from './invoices.module.css';
import { reviewTexts } from '../../findings/texts.js';

const texts = reviewTexts.invoice;

interface Props {
  readonly source: string;
  readonly name: string;
  readonly fields: readonly NamedField[];
  readonly selected: string | undefined;
  readonly onSelect: (field: NamedField) => void;
}

/**
 * The picture of a document page that the API made, with a button over each field. The document itself is never opened
 * in the app, so that nothing in it can run.
 */
export function PagePicture({ source, name, fields, selected, onSelect }: Props) {
  const [state, setState] = useState<'LOADING' | 'SHOWN' | 'FAILED'>('LOADING');
  if (state === 'FAILED') return <p className={controls['notice']}>{texts.noPicture}</p>;
  return (
    <div className={styles['page']}>
      {state === 'LOADING' && <Loading />}
      <img src={source} alt={name} onLoad={() => setState('SHOWN')} onError={() => setState('FAILED')} />
      {state === 'SHOWN' &&
        fields.map((field) => (
          <Box key={field.path} field={field} isSelected={field.path === selected} onSelect={onSelect} />
        ))}
    </div>
  );
}

function Box({
  field,
  isSelected,
  onSelect,
}: {
  readonly field: NamedField;
  readonly isSelected: boolean;
  readonly onSelect: (field: NamedField) => void;
}) {
  const [left, top, right, bottom] = field.box ?? [];
  if (left === undefined || top === undefined || right === undefined || bottom === undefined) return null;
  const share = (part: number): string => `${part * 100}%`;
  return (
    <button
      type="button"
      className={styles['box']}
      style={{ left: share(left), top: share(top), width: share(right - left), height: share(bottom - top) }}
      aria-label={texts.box(texts.fields[field.path] ?? field.path, showInvisible(field.value))}
      aria-pressed={isSelected}
      onClick={() => onSelect(field)}
    />
  );
}
