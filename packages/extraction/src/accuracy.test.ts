import { afterAll, describe, expect, test } from 'vitest';
import { closeRecogniser } from './ocr/recogniser.js';
import { confidenceBands, keyFields, measureInvoice } from './testing/measure-reading.js';
import { readEvaluationSet } from './testing/evaluated-invoice.js';
import { asScan } from './testing/scan-invoice.js';

const SHARE_MIN = 0.9;
const SHARE_OF_SCANS_MIN = 0.85;
/**
 * Minimum number of read fields in a range of confidence. With fewer fields, the measured accuracy is not conclusive.
 */
const FIELDS_OF_BAND_MIN = 10;
const OVERCONFIDENCE_MAX = 0.1;
/** OCR of a document page takes seconds on a busy machine. */
const OCR_TIMEOUT_MS = 175_000;

afterAll(closeRecogniser);

describe.each(['first-set.txt', 'second-set.txt'])('hand-written invoices of %s', (file) => {
  const measured = Promise.all(readEvaluationSet(file).map((invoice) => measureInvoice(invoice))).then((all) =>
    all.flat(),
  );

  test.each(keyFields)('are read in 9 of 10 cases or more: %s', async (field) => {
    const own = (await measured).filter((one) => one.field === field);
    const wrong = own.filter(({ isRight }) => !isRight).map(({ invoice }) => invoice);
    const isEnough = own.length - wrong.length >= SHARE_MIN * own.length;
    expect({ field, isEnough, wrong }).toEqual({ field, isEnough: true, wrong });
  });

  test('are not claimed to be read with more confidence than they are right', async () => {
    const bands = confidenceBands(await measured).filter(({ count }) => count >= FIELDS_OF_BAND_MIN);
    expect(bands.filter(({ right, claimed }) => claimed - right > OVERCONFIDENCE_MAX)).toEqual([]);
  });
});

test(
  'clean scans of hand-written invoices have 17 of 20 key fields right',
  async () => {
    const measured = [];
    // The test reads three languages. Reading all invoices takes minutes: `npm run bench:reading -- --scan 200`.
    const names = ['de-handwerk', 'fr-artisan', 'nl-zzp'];
    for (const invoice of readEvaluationSet('first-set.txt').filter(({ name }) => names.includes(name))) {
      measured.push(...(await measureInvoice(invoice, asScan(200, false))));
    }
    const own = measured.filter(({ field }) => keyFields.includes(field));
    const wrong = own.filter(({ isRight }) => !isRight).map(({ invoice, field }) => `${invoice} ${field}`);
    expect({ isEnough: own.length - wrong.length >= SHARE_OF_SCANS_MIN * own.length, wrong }).toEqual({
      isEnough: true,
      wrong,
    });
    expect(own.length).toBeGreaterThanOrEqual(4 * names.length);
  },
  OCR_TIMEOUT_MS,
);
