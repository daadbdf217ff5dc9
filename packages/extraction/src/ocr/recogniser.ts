import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createWorker, OEM } from 'tesseract.js';
import type { Worker } from 'tesseract.js';

export type OcrLanguage = 'eng' | 'deu' | 'fra' | 'pol' | 'spa' | 'ita' | 'nld';

/** Whole pages, one column of text, one block: page modes 3, 4 and 6 of tesseract. */
export type PageMode = '3' | '4' | '6';

/** A word with its place in pixels, and the line it stands on. */
export interface OcrWord {
  readonly text: string;
  /** 0 to 1. */
  readonly confidence: number;
  readonly left: number;
  readonly right: number;
  readonly lineTop: number;
  readonly lineBottom: number;
}

const require = createRequire(import.meta.url);
const dataPackages: Readonly<Record<OcrLanguage, string>> = {
  eng: require.resolve('@tesseract.js-data/eng/package.json'),
  deu: require.resolve('@tesseract.js-data/deu/package.json'),
  fra: require.resolve('@tesseract.js-data/fra/package.json'),
  pol: require.resolve('@tesseract.js-data/pol/package.json'),
  spa: require.resolve('@tesseract.js-data/spa/package.json'),
  ita: require.resolve('@tesseract.js-data/ita/package.json'),
  nld: require.resolve('@tesseract.js-data/nld/package.json'),
};

/** One worker for a process: it takes 175 to 310 MB, and a process reads one document at a time. */
let current: { readonly key: string; readonly worker: Promise<Worker> } | undefined;

/** Reads the words of a picture (PNG) in two languages; nothing is fetched from a network (documents reference, section 12). */
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

/** Ends the worker of this process; the next picture starts another. */
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
  // A worker that did not start is not kept.
  worker.catch(() => (current = undefined));
  return worker;
}

/**
 * tesseract.js reads all languages from one folder: links to the data of the packages, gone when the data is loaded. The
 * compressed files are in the packages, so nothing is fetched.
 */
async function startWorker(languages: readonly OcrLanguage[]): Promise<Worker> {
  const langPath = await mkdtemp(join(tmpdir(), 'traineddata-'));
  try {
    await Promise.all(languages.map((code) => symlink(dataFile(code), join(langPath, basename(dataFile(code))))));
    // Without a handler a bad picture is an uncaught exception besides the rejection.
    const options = { langPath, gzip: true, cacheMethod: 'none', errorHandler: () => undefined };
    return await createWorker([...languages], OEM.LSTM_ONLY, options);
  } finally {
    await rm(langPath, { recursive: true, force: true });
  }
}

function dataFile(code: OcrLanguage): string {
  return join(dirname(dataPackages[code]), '4.0.0_best_int', `${code}.traineddata.gz`);
}
