import { compareText } from '@invoicecontrol/engine/facts/record-order';
import type { Severity } from '@invoicecontrol/engine/explanation/catalogue';
import { analyze, isAtLeast, isClean } from './analyze.js';
import type { AnalyzedBill, AnalyzeOptions, Raised } from './analyze.js';
import type { Bill } from './bill.js';

/** Types of findings that report an invoice as a duplicate of another. */
const pairTypes: ReadonlySet<string> = new Set([
  'DUPLICATE_INVOICE',
  'SUSPECTED_DUPLICATE',
  'DUPLICATE_ACROSS_SUPPLIERS',
  'CROSS_COMPANY_DUPLICATE',
  'SPLIT_DUPLICATE',
]);

/** Types of findings about facts that a row of a history scan cannot contain, or that depend on the day of receipt. */
const postedOnly = /^(DUE_DATE|PAYMENT_TERMS|TAX_|BUYER_|ISSUE_DATE_)/;

/** Marks a mutation that keeps nothing of the original invoice number (tests/README.md). */
const UNRELATED = 'unrelated: ';

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
  /** Recall of copied bills, without those that only INVOICE_NUMBER_REUSED reports. */
  readonly pairRecall: Rate;
  /** Recall of copied bills whose number is related to the number of the original, and recall of the other copies. */
  readonly relatedRecall: Rate;
  readonly unrelatedRecall: Rate;
  readonly recallByMutation: ReadonlyMap<string, Rate>;
  /** Share of correct invoice rows that were reported as duplicates, although no correct row is a duplicate. */
  readonly falsePairs: Rate;
  readonly falseByHardNegative: ReadonlyMap<string, Rate>;
  /** Share of hard negatives (correct bills that look like faulty ones) whose decision was not PASS, for any reason. */
  readonly notPassedByHardNegative: ReadonlyMap<string, Rate>;
  /**
   * Share of correct invoice rows whose decision was not PASS: among all of them, and among all except the hard
   * negatives.
   */
  readonly notPassed: Rate;
  readonly plainNotPassed: Rate;
  /** Share of correct rows that were blocked: among all of them, and among all except the hard negatives. */
  readonly blocked: Rate;
  readonly plainBlocked: Rate;
  /** Number of findings that prevented the decision PASS for correct rows and for hard negatives. */
  readonly alarms: ReadonlyMap<string, number>;
  readonly hardNegativeAlarms: ReadonlyMap<string, number>;
  /** Findings of severity MEDIUM and above on correct rows that were not passed, by finding type. */
  readonly stoppedBy: ReadonlyMap<string, number>;
  readonly anomalies: ReadonlyMap<string, Rate>;
  /** Share of right findings with severity MEDIUM or higher, by band of their confidence. */
  readonly rightByConfidence: ReadonlyMap<string, Rate>;
  /** A few examples of each kind of copied bill that the engine missed, for investigation. */
  readonly examples: readonly string[];
}

const EXAMPLES_PER_KIND_MAX = 2;

/**
 * Analyzes a labelled history bill by bill, each with the bills before it, and compares the findings with the labels.
 */
export function score(bills: readonly Bill[], options: AnalyzeOptions = {}): Score {
  const analyzed = analyze(bills, options).filter(({ bill }) => options.road !== 'scan' || isShownByRows(bill));
  const behindItsCopy = originalsBehindCopies(analyzed);
  const clean = analyzed.filter((each) => isClean(each.bill) && !behindItsCopy.has(each));
  const plain = clean.filter(({ bill }) => bill.hardNegative === undefined);
  const hardNegatives = clean.filter(({ bill }) => bill.hardNegative !== undefined);
  const anomalous = analyzed.filter(({ bill }) => bill.anomaly !== undefined);
  const copies = copiesOf(analyzed);
  const medium = analyzed.flatMap((each) => pairsOf(each, 'MEDIUM'));
  const high = analyzed.flatMap((each) => pairsOf(each, 'HIGH'));
  const nameOf = ({ bill }: AnalyzedBill): string => bill.hardNegative ?? '';
  const isNotPassed = ({ decision }: AnalyzedBill): boolean => decision !== 'PASS';
  return {
    rows: bills.length,
    copies: copies.length,
    mediumPairs: rate(medium, isOneClaim),
    highPairs: rate(high, isOneClaim),
    recall: rate(copies, ({ isFound }) => isFound),
    pairRecall: rate(copies, ({ isPaired }) => isPaired),
    relatedRecall: rate(
      copies.filter(({ mutation }) => !mutation.startsWith(UNRELATED)),
      ({ isFound }) => isFound,
    ),
    unrelatedRecall: rate(
      copies.filter(({ mutation }) => mutation.startsWith(UNRELATED)),
      ({ isFound }) => isFound,
    ),
    recallByMutation: rates(
      copies,
      ({ mutation }) => mutation,
      ({ isFound }) => isFound,
    ),
    falsePairs: { hits: clean.flatMap(falsePairsOf).length, of: clean.length },
    falseByHardNegative: rates(hardNegatives, nameOf, (each) => falsePairsOf(each).length > 0),
    notPassedByHardNegative: rates(hardNegatives, nameOf, isNotPassed),
    notPassed: rate(clean, isNotPassed),
    plainNotPassed: rate(plain, isNotPassed),
    blocked: rate(clean, isBlocked),
    plainBlocked: rate(plain, isBlocked),
    alarms: counts(plain.filter(isNotPassed).flatMap(({ findings }) => findings.map(typeAndSeverity))),
    hardNegativeAlarms: counts(
      hardNegatives.filter(isNotPassed).flatMap(({ findings }) => findings.map(typeAndSeverity)),
    ),
    stoppedBy: counts(
      clean.filter(isNotPassed).flatMap(({ findings }) => findings.filter(isMedium).map(({ type }) => type)),
    ),
    rightByConfidence: rightByConfidence(analyzed),
    anomalies: rates(anomalous, ({ bill }) => bill.anomaly?.name ?? '', isAnomalyFound),
    examples: firstOfEachKind([
      ...medium.filter((pair) => !isOneClaim(pair)).map(falsePairExample),
      ...clean.filter(isNotPassed).map((each) => ({
        kind: `alarm (${each.bill.hardNegative ?? 'plain'})`,
        lines: [describeBill(each)],
      })),
      ...copies.filter(({ isFound }) => !isFound).map(missExample),
      ...anomalous
        .filter((each) => !isAnomalyFound(each))
        .map((each) => ({ kind: `missed ${each.bill.anomaly?.name ?? ''}`, lines: [describeBill(each)] })),
    ]),
  };
}

/** Checks whether an anomaly is visible in a row of a history scan. */
function isShownByRows({ anomaly }: Bill): boolean {
  return anomaly === undefined || anomaly.expected.some((type) => !postedOnly.test(type));
}

/**
 * Returns the originals that were analyzed after one of their copies, because the copy has an earlier issue date. For
 * such a pair, the duplicate finding is correctly raised for the original.
 */
function originalsBehindCopies(analyzed: readonly AnalyzedBill[]): ReadonlySet<AnalyzedBill> {
  const seen = new Set<string>();
  return new Set(
    analyzed.filter(({ bill }) => {
      const isBehind = isOriginal(bill) && seen.has(bill.claim);
      seen.add(bill.claim);
      return isBehind;
    }),
  );
}

function isBlocked({ decision }: AnalyzedBill): boolean {
  return decision === 'BLOCK';
}

interface Pair {
  readonly bill: Bill;
  readonly other: Bill;
  readonly finding: Raised;
}

/** Returns the pairs of bills that findings of at least the given severity report: a bill with an earlier bill. */
function pairsOf({ bill, findings }: AnalyzedBill, severity: Severity): Pair[] {
  return findings
    .filter((finding) => pairTypes.has(finding.type) && isAtLeast(finding.severity, severity))
    .flatMap((finding) => finding.others.map((other) => ({ bill, other, finding })));
}

function falsePairsOf(analyzed: AnalyzedBill): Pair[] {
  return pairsOf(analyzed, 'MEDIUM').filter((pair) => !isOneClaim(pair));
}

function isOneClaim({ bill, other }: { readonly bill: Bill; readonly other: Bill }): boolean {
  return bill.claim === other.claim;
}

function isMedium({ severity }: Raised): boolean {
  return isAtLeast(severity, 'MEDIUM');
}

/**
 * Bands into which findings are grouped by their confidence: the name of each band with its lowest confidence in
 * percent, from the lowest band to the highest.
 */
const confidenceBands = [
  ['.00 to .59', 0],
  ['.60 to .69', 60],
  ['.70 to .79', 70],
  ['.80 to .89', 80],
  ['.90 to .94', 90],
  ['.95 and above', 95],
] as const;

function bandOf({ confidence }: Raised): string {
  return confidenceBands.findLast(([, least]) => confidence >= least)?.[0] ?? confidenceBands[0][0];
}

function rightByConfidence(analyzed: readonly AnalyzedBill[]): ReadonlyMap<string, Rate> {
  const judged = analyzed.flatMap(({ bill, findings }) =>
    findings.filter(isMedium).flatMap((finding) => {
      const isRight = isRightFinding(bill, finding);
      return isRight === undefined ? [] : [{ finding, isRight }];
    }),
  );
  const byBand = rates(
    judged,
    ({ finding }) => bandOf(finding),
    ({ isRight }) => isRight,
  );
  return new Map(confidenceBands.flatMap(([name]) => (byBand.has(name) ? [[name, byBand.get(name) ?? noRate]] : [])));
}

/**
 * Checks by the labels of a test bill whether a finding about the bill is right. A finding is right if the planted
 * fault must cause it, or if it names another bill for the same payment. All other findings that name another bill are
 * wrong, and so are all other findings about a bill without a fault. The result is undefined for other findings about a
 * copied or faulty bill, because the labels do not list all faults of such a bill.
 */
function isRightFinding(bill: Bill, { type, others }: Raised): boolean | undefined {
  const isExpected = bill.anomaly?.expected.includes(type) === true;
  if (isExpected || others.some((other) => isOneClaim({ bill, other }))) return true;
  const isAboutAnother = pairTypes.has(type) || type === 'INVOICE_NUMBER_REUSED';
  return isAboutAnother || isClean(bill) ? false : undefined;
}

function isAnomalyFound({ bill, findings }: AnalyzedBill): boolean {
  return findings.some(({ type }) => bill.anomaly?.expected.includes(type));
}

/** An invoice that was billed a second time, in one bill or in several. */
interface Copy {
  readonly mutation: string;
  readonly original: Bill | undefined;
  readonly bills: readonly AnalyzedBill[];
  readonly isFound: boolean;
  /**
   * True if a finding of severity MEDIUM or higher pairs a bill of this copy with another bill for the same payment.
   */
  readonly isPaired: boolean;
}

function copiesOf(analyzed: readonly AnalyzedBill[]): Copy[] {
  const byClaim = new Map<string, AnalyzedBill[]>();
  for (const each of analyzed) byClaim.set(each.bill.claim, [...(byClaim.get(each.bill.claim) ?? []), each]);
  return [...byClaim.values()].flatMap((bills) => {
    const mutation = bills.find(({ bill }) => !isOriginal(bill))?.bill.mutation;
    if (mutation === undefined) return [];
    return [
      {
        mutation,
        original: bills.find(({ bill }) => isOriginal(bill))?.bill,
        bills: bills.filter(({ bill }) => !isOriginal(bill)),
        // In a history scan, the original may come after the copy. The finding is then about the original.
        isFound: bills.some(isCopyFound),
        isPaired: bills.some(isCopyPaired),
      },
    ];
  });
}

function isOriginal({ mutation }: Bill): boolean {
  return mutation === undefined;
}

/** A copy with another amount counts as found also when INVOICE_NUMBER_REUSED names the correct bill. */
function isCopyFound(analyzed: AnalyzedBill): boolean {
  const { bill, findings } = analyzed;
  const isReuseNamed = findings
    .filter(({ type, severity }) => type === 'INVOICE_NUMBER_REUSED' && isAtLeast(severity, 'MEDIUM'))
    .flatMap(({ others }) => others)
    .some((other) => isOneClaim({ bill, other }) && other.invoice.gross_amount !== bill.invoice.gross_amount);
  return isReuseNamed || isCopyPaired(analyzed);
}

function isCopyPaired(analyzed: AnalyzedBill): boolean {
  return pairsOf(analyzed, 'MEDIUM').some(isOneClaim);
}

interface Example {
  readonly kind: string;
  readonly lines: readonly string[];
}

function falsePairExample({ bill, other, finding }: Pair): Example {
  return {
    kind: `false pair (${bill.hardNegative ?? bill.mutation ?? 'plain'})`,
    lines: [line(other), `${line(bill)}: ${typeAndSeverity(finding)}`],
  };
}

function missExample({ mutation, original, bills }: Copy): Example {
  return {
    kind: `missed copy (${mutation})`,
    lines: [...(original === undefined ? [] : [line(original)]), ...bills.map(describeBill)],
  };
}

/** Returns at most `EXAMPLES_PER_KIND_MAX` examples of each kind of copied bill that the engine missed. */
function firstOfEachKind(examples: readonly Example[]): string[] {
  const seen = new Map<string, number>();
  return examples
    .filter(({ kind }) => {
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
      return (seen.get(kind) ?? 0) <= EXAMPLES_PER_KIND_MAX;
    })
    .sort((left, right) => compareText(left.kind, right.kind))
    .map(({ kind, lines }) => [kind, ...lines].join('\n    '));
}

function describeBill({ bill, findings }: AnalyzedBill): string {
  return `${line(bill)}: ${findings.map(typeAndSeverity).join(', ') || 'nothing raised'}`;
}

function line({ invoice }: Bill): string {
  const { supplier, invoice_number: number, issue_date: date, gross_amount: gross, currency } = invoice;
  return [supplier.name, supplier.tax_id ?? 'no tax id', number, date, gross, currency].join(' | ');
}

function typeAndSeverity({ type, severity }: Raised): string {
  return `${type} ${severity}`;
}

/** Returns the harmonic mean of the precision of reported pairs and the share of copied bills that were found. */
export function f1({ mediumPairs, recall }: Pick<Score, 'mediumPairs' | 'recall'>): number {
  const [precision, found] = [share(mediumPairs), share(recall)];
  return precision + found === 0 ? 0 : (2 * precision * found) / (precision + found);
}

const noRate: Rate = { hits: 0, of: 0 };

/** Adds up detection rates into one total rate. */
export function total(all: Iterable<Rate>): Rate {
  return [...all].reduce((sum, { hits, of }) => ({ hits: sum.hits + hits, of: sum.of + of }), noRate);
}

export function share({ hits, of }: Rate): number {
  return of === 0 ? 0 : hits / of;
}

function rate<T>(items: readonly T[], isHit: (item: T) => boolean): Rate {
  return { hits: items.filter(isHit).length, of: items.length };
}

function rates<T>(
  items: readonly T[],
  nameOf: (item: T) => string,
  isHit: (item: T) => boolean,
): ReadonlyMap<string, Rate> {
  const byName = new Map<string, Rate>();
  for (const item of items) {
    const { hits, of } = byName.get(nameOf(item)) ?? { hits: 0, of: 0 };
    byName.set(nameOf(item), { hits: hits + (isHit(item) ? 1 : 0), of: of + 1 });
  }
  return byName;
}

function counts(names: readonly string[]): ReadonlyMap<string, number> {
  const byName = new Map<string, number>();
  for (const name of names) byName.set(name, (byName.get(name) ?? 0) + 1);
  return byName;
}
