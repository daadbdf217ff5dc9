import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { addDays } from '@invoicecontrol/values/calendar-date';
import { catalogue } from './explanation/catalogue.js';
import type { FindingType } from './explanation/catalogue.js';
import { microToDecimal, toMicro } from '@invoicecontrol/values/decimal-amount';
import { ENGINE_VERSION, runEngine } from './run-engine.js';
import { decide } from './scoring/decision.js';
import { canonicalJson } from '@invoicecontrol/values/canonical-json';
import type { Facts } from './facts/facts.js';
import type { CanonicalInvoice } from '@invoicecontrol/invoice/canonical-invoice';
import { defaultPolicy } from './policy/policy.js';
import { compareText } from './facts/record-order.js';
import { suspectedAs } from './supplier/suspicion.js';
import type { AccountUse, RelatedSupplier } from './facts/supplier.js';
import { invoiceOf } from '@invoicecontrol/invoice/testing/invoices';
import { COMPANY_ID, inMemoryHistory } from './testing/in-memory-history.js';
import type { InvoiceChanges } from '@invoicecontrol/invoice/testing/invoices';
import type { Billed } from './testing/in-memory-history.js';

const HOME = { iban: 'DE89370400440532013000' };
const OTHER_ACCOUNT = { iban: 'FR1420041010050500013M02606' };
const supplier = { name: 'Acme Supplies Ltd', tax_id: 'DE136695976', bank_account: HOME };

/**
 * Arbitrary invoices with few names, numbers, amounts, days and accounts, so that random histories are full of
 * near-duplicates.
 */
const anyInvoice: fc.Arbitrary<CanonicalInvoice> = fc
  .record({
    name: fc.constantFrom('Acme Supplies Ltd', 'ACME SUPPLIES', 'Acme Suppliers', 'Borealis GmbH'),
    tax_id: fc.constantFrom(undefined, 'DE136695976', '136695976', 'DE811569869', 'PL5260001246'),
    bank_account: fc.constantFrom(
      undefined,
      HOME,
      OTHER_ACCOUNT,
      { iban: 'DE89370400440532013008' },
      { sort_code: '601613', account_number: '31926819' },
    ),
    invoice_number: fc.constantFrom(
      'INV-01042',
      'inv 1042',
      'INV-1042A',
      '1042/1',
      '1042/2',
      'INV-1043',
      'RE2O25O118',
      'CN-1042',
      '7',
    ),
    gross_amount: fc.constantFrom('1200.00', '1200', '1020.00', '600.00', '-1200.00', '12000.00', '1008.40', '0'),
    currency: fc.constantFrom('EUR', 'EUR', 'EUR', 'USD'),
    day: fc.integer({ min: 0, max: 120 }),
    termsDays: fc.constantFrom(undefined, -3, 0, 14, 30, 30),
    taxes: fc.constantFrom(
      undefined,
      { net_amount: '1008.40', tax_amount: '191.60' },
      { net_amount: '1000.00', tax_amount: '400.00' },
      { net_amount: '1000.00', tax_amount: '-190.00' },
    ),
    buyer: fc.constantFrom(undefined, { name: 'Musterwerk' }, { name: 'Blaupunkt' }, { tax_id: 'PL5260001246' }),
    purchase_order_ref: fc.constantFrom(undefined, 'PO-4500', '4501'),
  })
  .map(({ name, tax_id, bank_account, day, termsDays, taxes, buyer, purchase_order_ref, ...fields }) => ({
    ...fields,
    supplier: {
      name,
      ...(tax_id === undefined ? {} : { tax_id }),
      ...(bank_account === undefined ? {} : { bank_account }),
    },
    issue_date: addDays('2025-01-01', day),
    ...(termsDays === undefined ? {} : { due_date: addDays('2025-01-01', day + termsDays) }),
    ...taxes,
    ...(buyer === undefined ? {} : { buyer }),
    ...(purchase_order_ref === undefined ? {} : { purchase_order_ref }),
  }));
const RUNS = { numRuns: 40 };
const anyHistory = fc.array(anyInvoice, { minLength: 1, maxLength: 14 });

const companies = [{ companyId: COMPANY_ID, name: 'Musterwerk AG', taxId: 'DE811907980' }];

function billAll(invoices: readonly CanonicalInvoice[]): Billed[] {
  const history = inMemoryHistory();
  return invoices.map((invoice) => history.bill(invoice, { companies }));
}

const summaryOf = ({ analysis }: Billed) => ({
  decision: analysis.decision,
  riskScore: analysis.riskScore,
  findings: analysis.findings.map(({ type, severity, confidence, relatedInvoiceIds }) => ({
    type,
    severity,
    confidence,
    relatedInvoiceIds,
  })),
});

describe('for any history', () => {
  test('the same facts give the same bytes, also after a round trip through JSON', () => {
    fc.assert(
      fc.property(anyHistory, (invoices) => {
        for (const { facts, analysis } of billAll(invoices)) {
          const replayed = JSON.parse(JSON.stringify(facts)) as Facts;
          expect(canonicalJson(runEngine(replayed, defaultPolicy))).toBe(canonicalJson(analysis.findings));
        }
      }),
      RUNS,
    );
  });

  test('the order of candidates changes nothing', () => {
    fc.assert(
      fc.property(anyHistory, (invoices) => {
        for (const { facts, analysis } of billAll(invoices)) {
          const reversed = { ...facts, candidates: facts.candidates.toReversed() };
          expect(runEngine(reversed, defaultPolicy)).toEqual(analysis.findings);
        }
      }),
      RUNS,
    );
  });

  test('comparisons of each matched record start with the base and add up to its points', () => {
    fc.assert(
      fc.property(anyHistory, (invoices) => {
        for (const { analysis } of billAll(invoices)) {
          for (const { evidence } of analysis.findings) {
            if (evidence['comparisons'] === undefined) continue;
            const rows = evidence['comparisons'] as { with: string; field: string; points: number }[];
            const matched = evidence['matched'] as { invoiceId: string; points: number }[];
            for (const { invoiceId, points } of matched) {
              const own = rows.filter((row) => row.with === invoiceId);
              expect(own[0]).toMatchObject({ field: 'base', relation: 'BASE', points: -8 });
              expect(own.reduce((sum, row) => sum + row.points, 0)).toBe(points);
            }
            expect(evidence['points']).toBe(Math.max(...matched.map(({ points }) => points)));
          }
        }
      }),
      RUNS,
    );
  });

  test('every finding has complete evidence, a family, and keys that differ', () => {
    fc.assert(
      fc.property(anyHistory, (invoices) => {
        for (const { analysis } of billAll(invoices)) {
          const keys = analysis.findings.map(({ evidence }) => evidence.key);
          expect(new Set(keys).size).toBe(keys.length);
          for (const finding of analysis.findings) {
            expect(finding.evidence.key).toMatch(/^[0-9a-f]{32}$/);
            expect(finding.evidence.rule).toBe(`${finding.type}@${ENGINE_VERSION}`);
            expect(finding.evidence.explanation.length).toBeGreaterThan(0);
            expect(catalogue[finding.type].severities).toContain(finding.severity);
            expect(finding.summary).toMatch(/\.$/);
            expect(`${finding.summary}${finding.recommendedAction}`).not.toMatch(/undefined|NaN|\{\w+\}/);
          }
        }
      }),
      RUNS,
    );
  });

  test('accounts are masked everywhere', () => {
    fc.assert(
      fc.property(anyHistory, (invoices) => {
        const shown = billAll(invoices).flatMap(({ analysis }) =>
          analysis.findings.map(({ subjects: _, ...rest }) => rest),
        );
        const text = JSON.stringify(shown);
        for (const digits of ['0400440532013', '10050500013', '60161331926819', '31926819']) {
          expect(text).not.toContain(digits);
        }
      }),
      RUNS,
    );
  });

  test('a decision other than PASS has a finding that names the reason', () => {
    fc.assert(
      fc.property(anyHistory, (invoices) => {
        for (const { analysis } of billAll(invoices)) {
          expect(analysis.decision === 'PASS' || analysis.findings.length > 0).toBe(true);
        }
      }),
      RUNS,
    );
  });
});

test('a cent never turns PASS into BLOCK but by a finding that was not there before', () => {
  const cents = fc.constantFrom(10_000n, -10_000n);
  fc.assert(
    fc.property(anyHistory, cents, (invoices, cent) => {
      const history = inMemoryHistory();
      for (const invoice of invoices) {
        const moved = { ...invoice, gross_amount: microToDecimal(toMicro(invoice.gross_amount) + cent) };
        const [before, after] = [invoice, moved].map((one) => {
          const findings = runEngine(history.factsOf(one, { companies }), defaultPolicy);
          return { findings, ...decide(findings, defaultPolicy) };
        });
        if (before?.decision === 'PASS' && after?.decision === 'BLOCK') {
          const known = before.findings.map(({ type }) => type);
          expect(after.findings.some(({ type }) => !known.includes(type))).toBe(true);
        }
        history.bill(invoice, { companies });
      }
    }),
    RUNS,
  );
});

test('no text in an invoice makes the engine throw or take long', () => {
  const text = fc.string({ unit: 'binary', maxLength: 300 });
  const hostile = fc
    .record({
      name: text,
      tax_id: text,
      iban: text,
      invoice_number: text,
      purchase_order_ref: text,
      gross_amount: fc.constantFrom('0', '-0.000001', '999999999999999.999999', '-999999999999999'),
      currency: fc.constantFrom('EUR', 'JPY', 'KWD', 'XXX'),
      issue_date: fc.constantFrom('1900-01-01', '2199-12-31', '2024-02-29'),
    })
    .map(({ name, tax_id, iban, ...fields }): CanonicalInvoice => ({
      ...fields,
      supplier: { name, tax_id, bank_account: { iban } },
    }));
  fc.assert(
    fc.property(fc.array(hostile, { maxLength: 6 }), (invoices) => {
      // Every bill is sent twice, so that each text is also compared with itself.
      const history = inMemoryHistory();
      for (const invoice of [...invoices, ...invoices]) {
        const facts = history.factsOf(invoice, { companies });
        // The test checks only the risk score, because sentences of findings that quote arbitrary texts may read badly.
        expect(decide(runEngine(facts, defaultPolicy), defaultPolicy).riskScore).toBeLessThanOrEqual(100);
        history.record(facts);
      }
    }),
    RUNS,
  );
});

describe('an account or tax id gives the same findings in either spelling', () => {
  const resultsOf = (invoices: readonly CanonicalInvoice[]) => billAll(invoices).map(summaryOf);

  test('IBAN with and without spaces', () => {
    const spaced = (invoice: CanonicalInvoice): CanonicalInvoice => {
      const iban = invoice.supplier.bank_account?.iban?.toLowerCase().replace(/(.{4})/g, '$1 ');
      return iban === undefined ? invoice : { ...invoice, supplier: { ...invoice.supplier, bank_account: { iban } } };
    };
    fc.assert(
      fc.property(anyHistory, (invoices) => {
        expect(resultsOf(invoices.map(spaced))).toEqual(resultsOf(invoices));
      }),
      RUNS,
    );
  });

  test('UK sort code with account number and GB IBAN', () => {
    const toIban = (invoice: CanonicalInvoice): CanonicalInvoice =>
      invoice.supplier.bank_account?.sort_code === undefined
        ? invoice
        : { ...invoice, supplier: { ...invoice.supplier, bank_account: { iban: 'GB29NWBK60161331926819' } } };
    fc.assert(
      fc.property(anyHistory, (invoices) => {
        expect(resultsOf(invoices.map(toIban))).toEqual(resultsOf(invoices));
      }),
      RUNS,
    );
  });

  test('currency in lower and upper case', () => {
    const lower = (invoice: CanonicalInvoice) => ({ ...invoice, currency: invoice.currency.toLowerCase() });
    fc.assert(
      fc.property(anyHistory, (invoices) => {
        expect(resultsOf(invoices.map(lower))).toEqual(resultsOf(invoices));
      }),
      RUNS,
    );
  });

  test('tax id with and without its country prefix, when the account presumes the country', () => {
    const bills = ['INV-1042', 'INV-1043', 'INV-1042A', 'inv 1042'].map((invoice_number) =>
      invoiceOf({ invoice_number, supplier }),
    );
    const unprefixed = bills.map((bill) => ({ ...bill, supplier: { ...bill.supplier, tax_id: '136 695 976' } }));
    expect(resultsOf(unprefixed)).toEqual(resultsOf(bills));
  });
});

describe('the rows of a scan and single posts in their order, each received on its day,', () => {
  /**
   * Calls `each` with every row and the same invoice as a single post, up to the first pair whose profiles would differ
   * afterwards.
   */
  function compareRoads(
    invoices: readonly CanonicalInvoice[],
    each: (row: Billed, post: Billed, earlier: ReadonlySet<string>) => void,
  ): void {
    const sorted = invoices.toSorted((left, right) => compareText(left.issue_date, right.issue_date));
    const originOf = (index: number, receivedAtMs: number) => ({
      invoiceId: `row-${String(index).padStart(3, '0')}`,
      companyId: COMPANY_ID,
      source: 'SCAN' as const,
      receivedAtMs,
      rowNo: index,
      position: index,
    });
    const rowOf = (index: number) => ({ ...originOf(index, 7), scanId: 'scan-1' });
    const scan = inMemoryHistory();
    for (const [index, invoice] of sorted.entries()) scan.receive(invoice, rowOf(index));
    const posts = inMemoryHistory();
    const earlier = new Set<string>();
    for (const [index, invoice] of sorted.entries()) {
      const row = scan.bill(invoice, { origin: rowOf(index) });
      const post = posts.bill(invoice, { origin: originOf(index, Date.parse(invoice.issue_date) + index) });
      each(row, post, earlier);
      if (suspectedAs(row.analysis.findings) !== suspectedAs(post.analysis.findings)) return;
      earlier.add(row.facts.invoice.invoiceId);
    }
  }

  test('have the same facts, but for when they were received and what their scan answers for', () => {
    fc.assert(
      fc.property(anyHistory, (invoices) => {
        compareRoads(invoices, (row, post, earlier) => {
          expect(withoutRoad(row.facts, earlier)).toEqual(withoutRoad(post.facts, earlier));
        });
      }),
      RUNS,
    );
  });

  test('have the same findings, but for questions that only posts repeat until a person answers', () => {
    fc.assert(
      fc.property(anyHistory, (invoices) => {
        compareRoads(invoices, (row, post) => {
          const [ofRow, ofPost] = [summaryOf(row), summaryOf(post)];
          const isRepeated = ({ type }: (typeof ofRow.findings)[number]): boolean =>
            askedUntilAnswered[type]?.(row.facts, post.facts) === true;
          if (![...ofRow.findings, ...ofPost.findings].some(isRepeated)) expect(ofRow).toEqual(ofPost);
          const compared = ({ findings }: typeof ofRow) => findings.filter((finding) => !isRepeated(finding));
          expect(compared(ofRow)).toEqual(compared(ofPost));
        });
      }),
      RUNS,
    );
  });
});

/**
 * Rules of section 4 of the detection reference that differ between rows and single posts, because rows cannot be
 * reviewed one after another. Each function returns true if such a review is missing. These histories contain no
 * reviews.
 */
const askedUntilAnswered: Readonly<Partial<Record<FindingType, (row: Facts, post: Facts) => boolean>>> = {
  AMOUNT_OUTLIER: isAmountAsked,
  AMOUNT_ROUND: isAmountAsked,
  BANK_ACCOUNT_CHANGED: (_, { supplier }) => supplier.profile.accounts.some(({ asked }) => asked !== undefined),
  BANK_ACCOUNT_FIRST_USE: isAccountAsked,
  BANK_ACCOUNT_SHARED: isAccountAsked,
  BANK_COUNTRY_MISMATCH: isAccountAsked,
  DUPLICATE_INVOICE: isNumberAsked,
  INVOICE_NUMBER_REUSED: isNumberAsked,
  SUPPLIER_LOOKALIKE_NAME: isPartyAsked,
  SUPPLIER_TAX_ID_CHANGED: isPartyAsked,
  SUPPLIER_TAX_ID_FIRST_USE: isTaxIdAsked,
  SUSPECTED_DUPLICATE: isNumberAsked,
};

/**
 * Rows with one number, in whatever form, each asked about, show the rhythm of a contract to later rows of their scan.
 */
function isNumberAsked({ invoice, candidates }: Facts): boolean {
  return candidates.some(
    ({ suspectedAs: suspicion, issueDay }) => suspicion === 'DUPLICATE' && issueDay !== invoice.issueDay,
  );
}

function isAmountAsked(_row: Facts, { supplier }: Facts): boolean {
  return Object.values(supplier.profile.amounts).some((uses) => uses.some(({ askedOn }) => askedOn !== undefined));
}

function isAccountAsked(_row: Facts, { bankLink }: Facts): boolean {
  return bankLink?.suppliers.some(({ asked }) => asked !== undefined) === true;
}

/** Rows with a tax id that one row of their scan was asked about are marked; posts ask again until a person answers. */
function isTaxIdAsked(row: Facts, post: Facts): boolean {
  const { lateTaxIds = [] } = post.supplier.profile;
  return lateTaxIds.some(({ asked }) => asked !== undefined) || isPartyAsked(row, post);
}

/**
 * Rows do not add trust to a bank account with an open finding, so in single posts alone other suppliers may be known
 * on it.
 */
function isPartyAsked(row: Facts, post: Facts): boolean {
  const known = ({ namesakes = [], lookalikes = [] }: Facts) =>
    [...namesakes, ...lookalikes].map(({ knowsAccount }) => knowsAccount).join();
  return post.supplier.profile.doubted !== undefined || known(row) !== known(post);
}

/**
 * Returns facts without the fields that depend on how the invoice arrived: receipt, scan, and trust that is earned over
 * time.
 */
function withoutRoad(
  { invoice, supplier, namesakes, lookalikes, bankLink, orderLink, candidates, ...facts }: Facts,
  earlier: ReadonlySet<string>,
) {
  const bare = <T extends { readonly scanId?: string; readonly receivedAtMs: number }>(record: T) => {
    const { scanId: _scan, receivedAtMs: _received, ...rest } = record;
    return rest;
  };
  const unearned = <T extends Partial<AccountUse>>(use: T) => {
    const { trust: _trust, earning: _earning, asked: _asked, history: _history, onlyScanId: _scan, ...rest } = use;
    return rest;
  };
  const related = (others: readonly RelatedSupplier[] = []) => others.map(({ knowsAccount: _, ...other }) => other);
  const { profile } = supplier;
  return {
    ...facts,
    invoice: bare(invoice),
    candidates: candidates.filter(({ invoiceId }) => earlier.has(invoiceId)).map(bare),
    supplier: {
      ...supplier,
      profile: {
        ...profile,
        amounts: Object.entries(profile.amounts).map(([currency, uses]) => [
          currency,
          uses.map(({ askedInScan: _, ...use }) => use),
        ]),
        accounts: profile.accounts.map(unearned),
        lateTaxIds: profile.lateTaxIds?.map(unearned),
        doubted: profile.doubted === undefined ? undefined : unearned(profile.doubted),
      },
    },
    namesakes: related(namesakes),
    lookalikes: related(lookalikes),
    bankLink: bankLink === null ? null : { ...bankLink, suppliers: bankLink.suppliers.map(unearned) },
    orderLink: orderLink === null ? null : { ...orderLink, suppliers: orderLink.suppliers.map(unearned) },
  };
}

test('unrelated invoices never change the findings of another', () => {
  const own: InvoiceChanges[] = [{ supplier }, { supplier, invoice_number: 'INV-1042A' }];
  const noise = Array.from({ length: 40 }, (_, index) =>
    invoiceOf({ supplier: { name: `Noise ${index}` }, invoice_number: `N${index}`, gross_amount: `${index + 5}.11` }),
  );
  const alone = billAll(own.map(invoiceOf)).at(-1);
  const among = billAll([...noise.slice(0, 20), invoiceOf(own[0]), ...noise.slice(20), invoiceOf(own[1])]).at(-1);
  expect(among?.analysis.riskScore).toBe(alone?.analysis.riskScore);
  expect(among?.analysis.findings.map(({ summary }) => summary)).toEqual(
    alone?.analysis.findings.map(({ summary }) => summary),
  );
});

test("findings of a scan name the row of the caller's file", () => {
  const history = inMemoryHistory();
  const row = (rowNo: number) => ({
    origin: { source: 'SCAN', scanId: 's', rowNo, position: rowNo, receivedAtMs: 7, externalId: `E${rowNo}` } as const,
  });
  history.bill(invoiceOf({ supplier }), row(1));
  const { analysis } = history.bill(invoiceOf({ supplier }), row(2));
  expect(analysis.findings[0]?.evidence).toMatchObject({ externalId: 'E2', sourceRowNumber: 2 });
  expect(analysis.findings[0]?.evidence['matched']).toMatchObject([
    { sourceRowNumber: 1, externalId: 'E1', scanId: 's' },
  ]);
});

test('the output for known facts is the recorded one: any change of it is a new engine version', () => {
  const golden = JSON.parse(readFileSync(new URL('./testing/golden-analysis.json', import.meta.url), 'utf8')) as {
    facts: Facts;
    analysis: { decision: string; riskScore: number; findings: { disposition: string }[] };
  };
  const findings = runEngine(golden.facts, defaultPolicy);
  const shown = findings.map(({ subjects: _, ...finding }) => ({ ...finding, disposition: 'OPEN' }));
  expect(JSON.parse(canonicalJson({ findings: shown, ...decide(findings, defaultPolicy) }))).toEqual({
    findings: golden.analysis.findings,
    decision: golden.analysis.decision,
    riskScore: golden.analysis.riskScore,
  });
  expect(golden.analysis).toMatchObject({ versions: { riskEngine: ENGINE_VERSION } });
});
