import { isSignOfFraud } from '@invoicecontrol/engine/supplier/suspicion';
import { describe, expect, test } from 'vitest';
import { catalogue } from '@invoicecontrol/engine/explanation/catalogue';
import type { FindingType } from '@invoicecontrol/engine/explanation/catalogue';
import { analyze } from '../../decisions/domain/analyze.js';
import { pairKey, subject } from '@invoicecontrol/engine/explanation/subject';
import type { Subject } from '@invoicecontrol/engine/explanation/subject';
import { analysisFacts } from '../../testing/analysis-facts.js';
import type { Finding } from '@invoicecontrol/engine/explanation/evidence';
import type { Facts } from '@invoicecontrol/engine/facts/facts';
import type { Disposition } from '../../records/domain/finding-disposition.js';
import { defaultPolicy } from '@invoicecontrol/engine/policy/policy';
import {
  accountOf,
  accountReview,
  blockAfter,
  confirmedAs,
  lessonOf,
  nextReviewOf,
  NOTE_LENGTH_MAX,
  review,
  reviewKeysOf,
  stillHolds,
} from './review.js';
import { dispositions } from '../../records/domain/finding-disposition.js';
import type { CurrentReview } from './review.js';
import { invoiceOf } from '@invoicecontrol/invoice/testing/invoices';
import { inMemoryHistory } from '@invoicecontrol/engine/testing/in-memory-history';

type Reviewed = Parameters<typeof review>[0];

const suspicion = (disposition: Disposition): Reviewed => ({
  type: 'SUSPECTED_DUPLICATE',
  family: 'DUP',
  severity: 'HIGH',
  confidence: 94,
  disposition,
});

const about = (type: FindingType, subjects: Subject[]) =>
  ({ type, family: catalogue[type].family, subjects, evidence: { key: 'k' } }) as unknown as Finding;

/** The table of section 10 of the detection reference. Rows are the current disposition, and columns the new one. */
const table: readonly (readonly [from: Disposition, to: readonly Disposition[]])[] = [
  ['OPEN', ['UNDER_REVIEW', 'CONFIRMED', 'FALSE_POSITIVE', 'ACCEPTED_RISK']],
  ['UNDER_REVIEW', ['OPEN', 'CONFIRMED', 'FALSE_POSITIVE', 'ACCEPTED_RISK']],
  ['CONFIRMED', ['RESOLVED', 'ACCEPTED_RISK', 'FALSE_POSITIVE', 'OPEN']],
  ['FALSE_POSITIVE', ['OPEN', 'CONFIRMED']],
  ['ACCEPTED_RISK', ['OPEN', 'CONFIRMED']],
  ['RESOLVED', ['OPEN', 'CONFIRMED']],
  ['SUPERSEDED', []],
];

describe('a finding', () => {
  const steps = table.flatMap(([from, allowed]) =>
    dispositions.map((to): [Disposition, Disposition, string] => {
      if (to === 'SUPERSEDED') return [from, to, 'invalid'];
      if (to === from) return [from, to, 'UNCHANGED'];
      return [from, to, allowed.includes(to) ? 'CHANGED' : 'wrong_state'];
    }),
  );

  test.each(steps)('that is %s, called %s: %s', (from, to, expected) => {
    const act = () => review(suspicion(from), { disposition: to, note: undefined, isByAdmin: false }, defaultPolicy);
    if (expected === 'CHANGED') expect(act()).toEqual({ kind: 'CHANGED', from, to });
    else if (expected === 'UNCHANGED') expect(act()).toEqual({ kind: 'UNCHANGED' });
    else expect(act).toThrow(expect.objectContaining({ kind: expected }));
  });

  test.each<[Disposition, Disposition, string]>([
    ['FALSE_POSITIVE', 'RESOLVED', 'The finding can become OPEN or CONFIRMED.'],
    ['SUPERSEDED', 'OPEN', 'The finding cannot be reviewed.'],
  ])('that is %s and cannot become %s says what it can become', (from, to, advice) => {
    const act = () => review(suspicion(from), { disposition: to, note: undefined, isByAdmin: false }, defaultPolicy);
    expect(act).toThrow(`A finding with the disposition ${from} cannot become ${to}. ${advice}`);
  });

  test('reviewed with the disposition it has keeps a new note', () => {
    const outcome = review(
      suspicion('CONFIRMED'),
      { disposition: 'CONFIRMED', note: ' again\r\nand again ', isByAdmin: false },
      defaultPolicy,
    );
    expect(outcome).toEqual({ kind: 'NOTED', from: 'CONFIRMED', to: 'CONFIRMED', note: 'again\nand again' });
  });

  test.each(['', ' ', 'a\u202eb', 'x'.repeat(NOTE_LENGTH_MAX + 1)])(
    'is not reviewed with a note like "%.5s"',
    (note) => {
      const act = () => review(suspicion('OPEN'), { disposition: 'CONFIRMED', note, isByAdmin: false }, defaultPolicy);
      expect(act).toThrow(
        expect.objectContaining({ kind: 'invalid', details: [expect.objectContaining({ path: 'note' })] }),
      );
    },
  );

  test('keeps a note of as many characters as are allowed, whatever they are', () => {
    const note = '🙂'.repeat(NOTE_LENGTH_MAX);
    expect(
      review(suspicion('OPEN'), { disposition: 'CONFIRMED', note, isByAdmin: false }, defaultPolicy),
    ).toMatchObject({ note });
  });

  test('that blocks payment is accepted only with a note; one that merely warns needs none', () => {
    const block: Reviewed = { ...suspicion('OPEN'), type: 'DUPLICATE_INVOICE', severity: 'CRITICAL' };
    const accept = (finding: Reviewed, note?: string) => () =>
      review(finding, { disposition: 'ACCEPTED_RISK', note, isByAdmin: false }, defaultPolicy);
    expect(accept(block)).toThrow(expect.objectContaining({ kind: 'invalid' }));
    expect(accept(block, 'agreed with the board')()).toMatchObject({ kind: 'CHANGED' });
    expect(accept({ ...block, confidence: 89 })()).toMatchObject({ kind: 'CHANGED' });
    expect(accept(suspicion('OPEN'))()).toMatchObject({ kind: 'CHANGED' });
  });

  test('that blocks an account is accepted by an ADMIN with a note alone; anybody may say that it was a mistake', () => {
    const since = new Date('2026-03-01T10:00:00Z');
    const fraud = { ...suspicion('OPEN'), type: 'BANK_ACCOUNT_CHANGED', family: 'BANK', blockedSince: since } as const;
    const say = (disposition: Disposition, isByAdmin: boolean, note?: string) => () =>
      review(fraud, { disposition, note, isByAdmin }, defaultPolicy);
    expect(say('ACCEPTED_RISK', false, 'known')).toThrow(expect.objectContaining({ kind: 'forbidden' }));
    expect(say('ACCEPTED_RISK', true)).toThrow(expect.objectContaining({ kind: 'invalid' }));
    expect(say('ACCEPTED_RISK', true, 'the bank has closed it')()).toMatchObject({ kind: 'CHANGED' });
    expect(say('FALSE_POSITIVE', false)()).toMatchObject({ kind: 'CHANGED' });
  });
});

test.each(['FALSE_POSITIVE', 'ACCEPTED_RISK'] as const)(
  'a bill on an account that was confirmed as fraud is released as %s by an ADMIN alone',
  (disposition) => {
    const other = { ...suspicion('OPEN'), type: 'BANK_ACCOUNT_BLOCKLISTED', family: 'BANK' } as const;
    const say = (isByAdmin: boolean) => () =>
      review(other, { disposition, note: 'the bank has closed it', isByAdmin }, defaultPolicy);
    expect(say(false)).toThrow(expect.objectContaining({ kind: 'forbidden' }));
    expect(say(true)()).toMatchObject({ kind: 'CHANGED' });
  },
);

describe('what the next review may do', () => {
  test.each(table)('from %s is exactly what a review allows', (from, allowed) => {
    expect(nextReviewOf(suspicion(from), defaultPolicy).dispositions).toEqual(allowed);
  });

  test.each([
    ['SUSPECTED_DUPLICATE', 'HIGH', 94, false],
    ['DUPLICATE_INVOICE', 'CRITICAL', 99, true],
    ['DUPLICATE_INVOICE', 'HIGH', 99, false],
  ] as const)(
    'needs a note to accept a %s of severity %s exactly if a review needs one',
    (type, severity, confidence, isNoteRequired) => {
      const finding = { ...suspicion('OPEN'), type, severity, confidence };
      const accept = () =>
        review(finding, { disposition: 'ACCEPTED_RISK', note: undefined, isByAdmin: true }, defaultPolicy);
      expect(nextReviewOf(finding, defaultPolicy).isNoteRequired).toBe(isNoteRequired);
      if (isNoteRequired) expect(accept).toThrow('must explain why the risk is accepted');
      else expect(accept()).toMatchObject({ kind: 'CHANGED' });
    },
  );

  test('needs a note to accept a confirmed fraud that blocks its account', () => {
    const fraud: Reviewed = {
      ...suspicion('CONFIRMED'),
      type: 'BANK_ACCOUNT_CHANGED',
      family: 'BANK',
      reviewedAt: new Date(),
    };
    expect(nextReviewOf(fraud, defaultPolicy).isNoteRequired).toBe(true);
  });
});

describe('the block of an account', () => {
  const fraud = (disposition: Disposition, since?: Date) =>
    ({
      type: 'BANK_ACCOUNT_CHANGED',
      family: 'BANK',
      disposition,
      reviewedAt: new Date('2026-03-01T10:00:00Z'),
      ...(since === undefined ? {} : { blockedSince: since }),
    }) as const;
  const first = new Date('2026-02-01T10:00:00Z');
  const now = new Date('2026-03-05T10:00:00Z');

  test('begins with a confirmation, and closing or opening the case again leaves it as it is', () => {
    expect(blockAfter(fraud('OPEN'), 'CONFIRMED', now)).toEqual(now);
    for (const to of ['RESOLVED', 'OPEN', 'UNDER_REVIEW', 'CONFIRMED'] as const) {
      expect(blockAfter(fraud('RESOLVED', first), to, now)).toEqual(first);
    }
  });

  test('ends when the fraud was none, or when its risk is accepted', () => {
    for (const to of ['FALSE_POSITIVE', 'ACCEPTED_RISK'] as const) {
      expect(blockAfter(fraud('CONFIRMED', first), to, now)).toBeUndefined();
    }
  });

  test('follows a confirmation from before it was stored, at the time of that confirmation', () => {
    const old = fraud('CONFIRMED');
    expect(blockAfter(old, 'RESOLVED', now)).toEqual(old.reviewedAt);
  });

  test('is no matter of a duplicate', () => {
    expect(blockAfter({ type: 'DUPLICATE_INVOICE', family: 'DUP', disposition: 'OPEN' }, 'CONFIRMED', now)).toBe(
      undefined,
    );
  });
});

describe('the keys to load reviews by', () => {
  test('are the evidence key of everything raised and every pair behind it', () => {
    const history = inMemoryHistory();
    history.bill(invoiceOf());
    const { facts, analysis } = history.bill(invoiceOf());
    const keys = reviewKeysOf(analysis.findings);
    for (const { evidence } of analysis.findings) expect(keys).toContain(evidence.key);
    expect(keys).toContain(pairKey(facts.invoice.invoiceId, facts.candidates[0]?.invoiceId ?? ''));
  });

  test('let a false positive be found from both sides of its pair', () => {
    const of = (other: string, own: string) => reviewKeysOf([about('SUSPECTED_DUPLICATE', [subject.pair(own, other)])]);
    expect(of('a', 'b')).toEqual(of('b', 'a'));
    expect(of('a', 'b')).toContain(pairKey('a', 'b'));
  });

  test('hold no pair of a finding about one file', () => {
    const history = inMemoryHistory();
    const upload = { origin: { source: 'UPLOAD', documentSha256: 'aa' } } as const;
    history.bill(invoiceOf(), upload);
    const { analysis } = history.bill(invoiceOf(), upload);
    const ofFile = analysis.findings.filter(({ type }) => type === 'DUPLICATE_DOCUMENT');
    expect(ofFile).toHaveLength(1);
    expect(ofFile[0]?.relatedInvoiceIds).toHaveLength(1);
    expect(reviewKeysOf(ofFile)).toEqual([ofFile[0]?.evidence.key]);
  });

  test('dismiss the findings that the engine raises after they are cleared', () => {
    const history = inMemoryHistory();
    history.bill(invoiceOf());
    const facts = history.factsOf(invoiceOf());
    const { invoiceId } = facts.invoice;
    const [raised] = analyze(analysisFacts(facts), defaultPolicy).findings.filter(({ family }) => family === 'DUP');
    if (raised === undefined) throw new Error('nothing was raised');
    const [pair] = raised.relatedInvoiceIds.map((related) => pairKey(related, invoiceId));
    const cleared = {
      evidenceKey: 'another finding',
      disposition: 'FALSE_POSITIVE',
      invoiceId: 'x',
      pairKeys: [pair ?? ''],
    };
    const again = analyze(analysisFacts(facts, { reviews: [cleared as never] }), defaultPolicy);
    expect(again.findings.filter(({ family }) => family === 'DUP').map(({ disposition }) => disposition)).toEqual([
      'FALSE_POSITIVE',
    ]);
  });
});

describe('what a record is confirmed as', () => {
  const finding = (type: FindingType, disposition: Disposition) => ({
    type,
    family: catalogue[type].family,
    disposition,
  });

  test.each<[string, ReturnType<typeof finding>[], ReturnType<typeof confirmedAs>]>([
    ['a confirmed duplicate', [finding('DUPLICATE_INVOICE', 'CONFIRMED')], 'DUPLICATE'],
    ['a remedied duplicate is still one', [finding('SUSPECTED_DUPLICATE', 'RESOLVED')], 'DUPLICATE'],
    [
      'fraud outweighs it',
      [finding('DUPLICATE_INVOICE', 'CONFIRMED'), finding('BANK_ACCOUNT_CHANGED', 'CONFIRMED')],
      'FRAUD',
    ],
    ['an accepted duplicate is none', [finding('DUPLICATE_INVOICE', 'ACCEPTED_RISK')], undefined],
    ['a reused number is no duplicate', [finding('INVOICE_NUMBER_REUSED', 'CONFIRMED')], 'REUSED_NUMBER'],
    [
      'a reused number that was dismissed is one of its own',
      [finding('INVOICE_NUMBER_REUSED', 'FALSE_POSITIVE')],
      undefined,
    ],
    ['nothing', [], undefined],
  ])('%s', (_, findings, expected) => {
    expect(confirmedAs(findings)).toBe(expected);
  });
});

describe('the account of a finding', () => {
  const ofSupplier = subject.supplier('s');

  test('is the one that it was raised about', () => {
    expect(accountOf(about('BANK_ACCOUNT_CHANGED', [ofSupplier, subject.account('NEW')]))).toBe('NEW');
    expect(accountOf(about('BANK_ACCOUNT_REVERTED', [ofSupplier, subject.account('BETWEEN')]))).toBe('BETWEEN');
    expect(accountOf(about('BANK_ACCOUNT_BLOCKLISTED', [subject.account('NEW')]))).toBe('NEW');
  });

  test('does not exist where the finding is about none', () => {
    expect(accountOf(about('BANK_ACCOUNT_MISSING', [ofSupplier]))).toBeUndefined();
    expect(accountOf(about('SUSPECTED_DUPLICATE', [subject.pair('a', 'b')]))).toBeUndefined();
  });

  test('of a lookalike or a forged document is the one on the invoice', () => {
    for (const type of ['SUPPLIER_LOOKALIKE_NAME', 'DOCUMENT_TAMPER_SIGNS'] as const) {
      const forged = about(type, [subject.account('NEW')]);
      expect(isSignOfFraud(forged)).toBe(true);
      expect(accountOf(forged)).toBe('NEW');
    }
  });
});

describe('the reviews of an account', () => {
  const currentReview = (findingId: string, changes: Partial<CurrentReview>): CurrentReview => ({
    findingId,
    sourceVersion: 2,
    type: 'BANK_ACCOUNT_CHANGED',
    family: 'BANK',
    disposition: 'CONFIRMED',
    evidenceKey: 'k',
    pairKeys: [],
    invoiceId: 'i',
    supplierId: 's',
    bankKey: 'b',
    signature: 'ANY',
    reviewedAt: new Date('2026-03-02T10:00:00Z'),
    ...changes,
  });

  test('block it for every supplier after one confirmation; the last one in force is shown', () => {
    const later = currentReview('f1', {});
    const earlier = currentReview('f2', { reviewedAt: new Date('2026-03-01T10:00:00Z') });
    const of = ({ findingId, reviewedAt: since }: CurrentReview) => ({ fraud: { findingId, since }, trust: 'FRAUD' });
    expect(accountReview([earlier, later], 'another')).toEqual(of(later));
    expect(accountReview([earlier], 's')).toEqual(of(earlier));
  });

  test('clear it only for the supplier that it was reviewed for', () => {
    const cleared = currentReview('f1', { disposition: 'ACCEPTED_RISK' });
    expect(accountReview([cleared], 's').trust).toBe('REVIEWED');
    expect(accountReview([cleared], 'another').trust).toBeUndefined();
  });

  test('clear a block until fraud is confirmed again', () => {
    const cleared = currentReview('f1', { type: 'BANK_ACCOUNT_BLOCKLISTED', disposition: 'FALSE_POSITIVE' });
    const confirmed = (confirmedAt: string) =>
      ({ bankLink: { fraud: { reviewId: 'f2', confirmedAt } } }) as unknown as Facts;
    expect(stillHolds(cleared, confirmed('2026-03-01T10:00:00.000Z'))).toBe(true);
    expect(stillHolds(cleared, confirmed('2026-03-03T10:00:00.000Z'))).toBe(false);
    expect(stillHolds(currentReview('f1', {}), confirmed('2026-03-03T10:00:00.000Z'))).toBe(true);
  });

  test('go on blocking it when the case is closed or opened again', () => {
    const blockedSince = new Date('2026-02-01T10:00:00Z');
    for (const disposition of ['RESOLVED', 'OPEN', 'UNDER_REVIEW'] as const) {
      expect(accountReview([currentReview('f1', { disposition, blockedSince })], 's')).toEqual({
        fraud: { findingId: 'f1', since: blockedSince },
        trust: 'FRAUD',
      });
    }
  });
});

test('a profile learns a name or a number pattern from a false positive, and nothing from other dispositions', () => {
  const lesson = (type: string, disposition: Disposition) => lessonOf({ type, disposition } as never);
  expect(lesson('SUPPLIER_NAME_MISMATCH', 'FALSE_POSITIVE')).toBe('NAME');
  expect(lesson('INVOICE_NUMBER_FORMAT_CHANGED', 'FALSE_POSITIVE')).toBe('NUMBER_PATTERN');
  expect(lesson('SUPPLIER_NAME_MISMATCH', 'CONFIRMED')).toBeUndefined();
  expect(lesson('SUSPECTED_DUPLICATE', 'FALSE_POSITIVE')).toBeUndefined();
});
