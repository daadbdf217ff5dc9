import { useState } from 'react';
import type { KeyboardEvent } from 'react';
import controls from '../../controls/controls.module.css';
import { Loaded } from '../../controls/loaded.js';
import { reviewTexts } from '../../findings/texts.js';
import { showInvisible } from '../../format/visible-text.js';
import { Box, PagePicture } from '../invoices/page-picture.js';
import { nextWord } from './next-word.js';
import { usePageWords } from './queries.js';
import type { PageWord } from './queries.js';
import { texts } from './texts.js';

interface Props {
  readonly invoiceId: string;
  readonly page: number;
  readonly pageCount: number;
  /** Name of the field that the words fill. Words that were chosen for another field do not count for this one. */
  readonly field: string;
  /** Called with the chosen words, in the order in which they were chosen. */
  readonly onChoose: (value: string) => void;
}

/** The picture of a page on which a person chooses words, with the mouse or with the arrow keys and Enter. */
export function WordsOfPage({ invoiceId, page, pageCount, field, onChoose }: Props) {
  const [current, setCurrent] = useState(0);
  return (
    <Loaded query={usePageWords(invoiceId, page)}>
      {({ words, isTruncated }) => (
        <>
          {words.length === 0 && <p>{texts.noWords}</p>}
          {isTruncated && <p>{texts.manyWords}</p>}
          {words.length > 0 && <p className={controls['help']}>{texts.wordsHelp}</p>}
          <PagePicture invoiceId={invoiceId} page={page} pageCount={pageCount}>
            <div role="group" aria-label={texts.words(reviewTexts.invoice.page(page, pageCount))}>
              <Words key={field} words={words} current={current} onMove={setCurrent} onChoose={onChoose} />
            </div>
          </PagePicture>
        </>
      )}
    </Loaded>
  );
}

/** A button over each word. The Tab key stops at one of them, and the arrow keys lead to the others. */
function Words({
  words,
  current,
  onMove,
  onChoose,
}: {
  readonly words: readonly PageWord[];
  /** Position of the word at which the Tab key stops. */
  readonly current: number;
  readonly onMove: (index: number) => void;
  readonly onChoose: (value: string) => void;
}) {
  const [chosen, setChosen] = useState<readonly number[]>([]);
  const choose = (index: number): void => {
    onMove(index);
    const now = chosen.includes(index) ? chosen.filter((one) => one !== index) : [...chosen, index];
    setChosen(now);
    onChoose(now.map((one) => words[one]?.value ?? '').join(' '));
  };
  const move = (event: KeyboardEvent<HTMLButtonElement>, index: number): void => {
    const next = nextWord(event.key, index, words);
    if (next === undefined) return;
    event.preventDefault();
    onMove(next);
    const buttons = event.currentTarget.parentElement?.children;
    const button = buttons?.[next];
    if (button instanceof HTMLElement) button.focus();
  };
  return words.map(({ text, box }, index) => (
    <Box
      key={index}
      kind="word"
      box={box}
      name={showInvisible(text)}
      isPressed={chosen.includes(index)}
      isTabStop={index === current}
      onPress={() => choose(index)}
      onKeyDown={(event) => move(event, index)}
    />
  ));
}
