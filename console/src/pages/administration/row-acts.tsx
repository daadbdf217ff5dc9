import { useState } from 'react';
import type { ReactNode } from 'react';
import { Button } from '../../controls/button.js';
import controls from '../../controls/controls.module.css';
import { texts } from './texts.js';

interface Act<Item> {
  readonly text: string;
  /** The dialog that the button opens. */
  readonly dialog: (item: Item, close: () => void) => ReactNode;
}

/** The buttons of a row, each with its dialog. Screen readers hear the name of the row with each button. */
export function RowActs<Item>({
  item,
  name,
  acts,
}: {
  readonly item: Item;
  readonly name: string;
  readonly acts: readonly Act<Item>[];
}) {
  const [open, setOpen] = useState<Act<Item>>();
  return (
    <div className={controls['actions']}>
      {acts.map((act) => (
        <Button key={act.text} label={texts.of(act.text, name)} onPress={() => setOpen(act)}>
          {act.text}
        </Button>
      ))}
      {open?.dialog(item, () => setOpen(undefined))}
    </div>
  );
}
