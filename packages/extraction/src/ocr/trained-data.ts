import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { OcrLanguage } from './recogniser.js';

const require = createRequire(import.meta.url);
const packages: Readonly<Record<OcrLanguage, string>> = {
  eng: require.resolve('@tesseract.js-data/eng/package.json'),
  deu: require.resolve('@tesseract.js-data/deu/package.json'),
  fra: require.resolve('@tesseract.js-data/fra/package.json'),
  pol: require.resolve('@tesseract.js-data/pol/package.json'),
  spa: require.resolve('@tesseract.js-data/spa/package.json'),
  ita: require.resolve('@tesseract.js-data/ita/package.json'),
  nld: require.resolve('@tesseract.js-data/nld/package.json'),
};

/**
 * Returns the path of the trained data for a language. tesseract.js asks for the data by a name such as
 * `./eng.traineddata.gz`.
 */
export function trainedDataFile(name: string): string {
  const code = /(\w{3})\.traineddata\.gz$/.exec(name)?.[1] ?? '';
  if (!(code in packages)) throw new Error(`The file ${name} is not the OCR training data of a supported language.`);
  return join(dirname(packages[code as OcrLanguage]), '4.0.0_best_int', `${code}.traineddata.gz`);
}
