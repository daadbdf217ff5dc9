import { fileURLToPath } from 'node:url';
import { createWorker, OEM } from 'tesseract.js';
import type { Worker } from 'tesseract.js';

/** Path of the compiled worker for text recognition. Tests that run the sources use the compiled worker too. */
const WORKER = fileURLToPath(new URL('../../dist/ocr/recogniser-worker.js', import.meta.url));

export type OcrLanguage = 'eng' | 'deu' | 'fra' | 'pol' | 'spa' | 'ita' | 'nld';

/**
 * Modes in which the OCR program tesseract divides a page: whole page (3), one column of text (4), one block of text
 * (6).
 */
export type PageMode = '3' | '4' | '6';

/** A recognized word with its position in pixels and its line. */
export interface OcrWord {
  readonly text: string;
  /** Confidence that the word was recognized correctly, from 0 to 1. */
  readonly confidence: number;
  readonly left: number;
  readonly right: number;
  readonly lineTop: number;
  readonly lineBottom: number;
}

/**
 * Each process has one worker for text recognition, because a worker takes 175 to 310 MB and a process reads one
 * document at a time.
 */
let current: { readonly key: string; readonly worker: Promise<Worker> } | undefined;

/**
 * Recognizes the words in a picture (PNG) in two languages. Nothing is downloaded (documents reference, section 12).
 */
export async function recognise(
  picture: Buffer,
  languages: readonly OcrLanguage[],
  mode: PageMode,
): Promise<OcrWord[]> {
  const worker = await workerFor(languages);
  await worker.setParameters({ tessedit_pageseg_mode: mode as never, user_defined_dpi: '300' });
  const { data } = await worker.recognize(picture, {}, { blocks: true, text: false });
  return (data.blocks ?? []).flatMap(({ paragraphs }) =>
    paragraphs.flatMap(({ lines }) =>
      lines.flatMap(({ words, bbox }) =>
        words
          .filter(({ text }) => text.trim() !== '')
          .map((word) => ({
            text: word.text,
            confidence: word.confidence / 100,
            left: word.bbox.x0,
            right: word.bbox.x1,
            lineTop: words.length > 3 ? bbox.y0 : Math.min(...words.map((one) => one.bbox.y0)),
            lineBottom: words.length > 3 ? bbox.y1 : Math.max(...words.map((one) => one.bbox.y1)),
          })),
      ),
    ),
  );
}

/** Ends the text recognition worker of this process. The next picture starts a new worker. */
export async function closeRecogniser(): Promise<void> {
  const worker = current?.worker;
  current = undefined;
  await (await worker)?.terminate();
}

async function workerFor(languages: readonly OcrLanguage[]): Promise<Worker> {
  const key = languages.join('+');
  if (current?.key === key) return current.worker;
  await closeRecogniser();
  const worker = startWorker(languages);
  current = { key, worker };
  // If the worker for text recognition failed to start, the next document starts a new worker.
  worker.catch(() => (current = undefined));
  return worker;
}

/**
 * Starts a worker for text recognition. The compressed language data of the OCR program is in npm packages, where the
 * worker finds it.
 */
async function startWorker(languages: readonly OcrLanguage[]): Promise<Worker> {
  // Without this handler, a broken picture would cause an uncaught exception in the OCR worker in addition to the
  // rejection.
  const options = { workerPath: WORKER, langPath: '.', cacheMethod: 'none', errorHandler: () => undefined };
  return createWorker([...languages], OEM.LSTM_ONLY, options);
}
