import { useState } from 'react';
import type { KeyboardEvent, ReactNode } from 'react';
import controls from '../../controls/controls.module.css';
import { Loading } from '../../controls/loading.js';
import styles from './invoices.module.css';
import { reviewTexts } from '../../findings/texts.js';

interface Props {
  readonly invoiceId: string;
  readonly page: number;
  readonly pageCount: number;
  /** Boxes above the picture, once it is shown. */
  readonly children: ReactNode;
}

/** Width in pixels of the picture that the API makes. */
const WIDTH = 1_000;

/**
 * The picture of a document page that the API made. The document itself is never opened in the app, so that nothing in
 * it can run.
 */
export function PagePicture({ invoiceId, page, pageCount, children }: Props) {
  const texts = reviewTexts.invoice;
  const [state, setState] = useState<'LOADING' | 'SHOWN' | 'FAILED'>('LOADING');
  if (state === 'FAILED') return <p className={controls['notice']}>{texts.noPicture}</p>;
  return (
    <div className={styles['page']}>
      {state === 'LOADING' && <Loading />}
      <img
        src={`/v1/invoices/${invoiceId}/document/pages/${page}?width=${WIDTH}`}
        alt={texts.page(page, pageCount)}
        onLoad={() => setState('SHOWN')}
        onError={() => setState('FAILED')}
      />
      {state === 'SHOWN' && children}
    </div>
  );
}

interface BoxProps {
  /** Left, top, right and bottom in fractions of the page. Null for something without a place on the page. */
  readonly box: readonly number[] | null;
  readonly name: string;
  readonly isPressed: boolean;
  readonly onPress: () => void;
  /** `word` for a box that is visible only while it is pointed at or chosen. */
  readonly kind?: 'word';
  /** False for a box that the Tab key passes over, because arrow keys lead to it. */
  readonly isTabStop?: boolean;
  readonly onKeyDown?: (event: KeyboardEvent<HTMLButtonElement>) => void;
}

/** A button over a place of the picture of a page. */
export function Box({ box, name, isPressed, onPress, kind, isTabStop = true, onKeyDown }: BoxProps) {
  const [left, top, right, bottom] = box ?? [];
  if (left === undefined || top === undefined || right === undefined || bottom === undefined) return null;
  const share = (part: number): string => `${part * 100}%`;
  return (
    <button
      type="button"
      className={styles['box']}
      data-kind={kind}
      style={{ left: share(left), top: share(top), width: share(right - left), height: share(bottom - top) }}
      aria-label={name}
      aria-pressed={isPressed}
      tabIndex={isTabStop ? 0 : -1}
      onClick={onPress}
      onKeyDown={onKeyDown}
    />
  );
}
