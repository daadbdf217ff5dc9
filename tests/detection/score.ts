import { severityRank } from '@invoicecontrol/analysis/catalogue';
import { inMemoryHistory } from '@invoicecontrol/analysis/in-memory-history';
import { companies } from './bill.js';
import type { Bill } from './bill.js';

/** Findings that call a record the same as another. */
const pairTypes: ReadonlySet<string> = new Set([
  'DUPLICATE_INVOICE',
  'SUSPECTED_DUPLICATE',
  'DUPLICATE_ACROSS_SUPPLIERS',
  'CROSS_COMPANY_DUPLICATE',
  'SPLIT_DUPLICATE',
]);

export interface Rate {
  readonly hits: number;
  readonly of: number;
}

export interface Score {
  readonly rows: number;
  readonly copies: number;
  readonly mediumPairs: Rate;
  readonly highPairs: Rate;
  readonly recall: Rate;
  readonly recallByMutation: ReadonlyMap<string, Rate>;
  /** Pairs that are none, over the clean rows. */
  readonly falsePairs: Rate;
  readonly falseByHardNegative: ReadonlyMap<string, Rate>;
  /** Clean plain rows that were not passed. */
  readonly notPassed: Rate;
  readonly blocked: Rate;
  /** Findings that kept clean rows from passing. */
  readonly alarms: ReadonlyMap<string, number>;
  readonly anomalies: ReadonlyMap<string, Rate>;
  /** A few lines for whoever looks into a miss. */
  readonly examples: readonly string[];
}

const EXAMPLES_MAX = 30;

/** Judges a labelled history bill by bill, each with the history before it, and compares with the labels. */
export function score(bills: readonly Bill[]): Score {
  const history = inMemoryHistory();
  const byId = new Map<string, Bill>();
  const found = new Set<string>();
  const copies = new Set<string>();
  const recallByMutation = new Map<string, Rate>();
  const falseByHardNegative = new Map<string, Rate>();
  const alarms = new Map<string, number>();
  const anomalies = new Map<string, Rate>();
  const examples: string[] = [];
  const count = {
    medium: 0,
    mediumRight: 0,
    high: 0,
    highRight: 0,
    clean: 0,
    falsePairs: 0,
    plain: 0,
    alarmed: 0,
    blocked: 0,
  };
  const example = (kind: string, bill: Bill, detail: string): void => {
    if (examples.length < EXAMPLES_MAX) {
      const { supplier, invoice_number, issue_date, gross_amount } = bill.invoice;
      examples.push(`${kind}: ${supplier.name} ${invoice_number} ${issue_date} ${gross_amount} ${detail}`);
    }
  };

  for (const [index, bill] of bills.entries()) {
    const { facts, analysis } = history.bill(bill.invoice, {
      asOf: bill.arrival,
      origin: { companyId: bill.companyId, receivedAtMs: Date.parse(bill.arrival) + index },
      companies: ownCompanies,
    });
    byId.set(facts.invoice.invoiceId, bill);
    const isClean = bill.mutation === undefined && bill.anomaly === undefined;
    const group = `${bill.claim}|${bill.mutation ?? ''}`;
    if (bill.mutation !== undefined) copies.add(group);
    let hasFalsePair = false;
    for (const finding of analysis.findings) {
      const rank = severityRank(finding.severity);
      if (!pairTypes.has(finding.type) || rank < severityRank('MEDIUM')) continue;
      for (const id of finding.relatedInvoiceIds) {
        const isRight = byId.get(id)?.claim === bill.claim;
        count.medium++;
        if (isRight) count.mediumRight++;
        if (rank >= severityRank('HIGH')) {
          count.high++;
          if (isRight) count.highRight++;
        }
        if (isRight) found.add(group);
        else {
          hasFalsePair = true;
          if (isClean) count.falsePairs++;
          example('false pair', bill, `${finding.type} ${finding.summary}`);
        }
      }
    }
    if (isClean) {
      count.clean++;
      if (bill.hardNegative !== undefined) add(falseByHardNegative, bill.hardNegative, hasFalsePair);
      else {
        count.plain++;
        if (analysis.decision !== 'PASS') {
          count.alarmed++;
          const types = analysis.findings.map(({ type, severity }) => `${type} ${severity}`);
          for (const type of types) alarms.set(type, (alarms.get(type) ?? 0) + 1);
          example('alarm', bill, types.join(', '));
        }
        if (analysis.decision === 'BLOCK') count.blocked++;
      }
    }
    if (bill.anomaly !== undefined) {
      const { name, expected } = bill.anomaly;
      const isFound = analysis.findings.some(({ type }) => expected.includes(type));
      add(anomalies, name, isFound);
      if (!isFound) example(`missed ${name}`, bill, analysis.findings.map(({ type }) => type).join(', '));
    }
  }
  for (const group of copies) {
    const mutation = group.slice(group.indexOf('|') + 1);
    add(recallByMutation, mutation, found.has(group));
  }
  for (const bill of bills) {
    const group = `${bill.claim}|${bill.mutation ?? ''}`;
    if (bill.mutation !== undefined && !found.has(group)) example(`missed copy (${bill.mutation})`, bill, '');
  }
  return {
    rows: bills.length,
    copies: copies.size,
    mediumPairs: { hits: count.mediumRight, of: count.medium },
    highPairs: { hits: count.highRight, of: count.high },
    recall: { hits: [...copies].filter((group) => found.has(group)).length, of: copies.size },
    recallByMutation,
    falsePairs: { hits: count.falsePairs, of: count.clean },
    falseByHardNegative,
    notPassed: { hits: count.alarmed, of: count.plain },
    blocked: { hits: count.blocked, of: count.plain },
    alarms,
    anomalies,
    examples,
  };
}

/** The companies that the labelled bills are addressed to. */
export const ownCompanies = [
  { companyId: companies.main, name: 'Buyer Group GmbH', taxId: 'DE811907980' },
  { companyId: companies.second, name: 'Buyer Polska Sp. z o.o.', taxId: 'PL5260250995' },
];

export function share({ hits, of }: Rate): number {
  return of === 0 ? 0 : hits / of;
}

function add(rates: Map<string, Rate>, name: string, isHit: boolean): void {
  const { hits, of } = rates.get(name) ?? { hits: 0, of: 0 };
  rates.set(name, { hits: hits + (isHit ? 1 : 0), of: of + 1 });
}
