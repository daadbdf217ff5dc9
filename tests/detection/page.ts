// Writes the figures of docs/how-well-it-works.md. The text around them is written by hand.
import { createHash } from 'node:crypto';
import type { SetName } from './histories/catalogue.js';
import type { Rate } from './score.js';
import type { Figure, Summary } from './summary.js';

export interface SetFigures {
  readonly set: SetName;
  readonly posts: Summary;
  readonly scan: Summary;
  readonly date: string;
  readonly engineVersion: string;
}

/**
 * Returns the pattern that finds the detection figures of one set on the page, so that only these figures are replaced.
 */
function patternOf(set: SetName): RegExp {
  return new RegExp(`<!-- figures of ${set}, sha256 ([0-9a-f]*) -->\\n([^]*?)<!-- end of ${set} -->`);
}

/** Returns the page of detection figures with the figures of a set replaced. */
export function withFigures(page: string, figures: SetFigures): string {
  const { set } = figures;
  if (!patternOf(set).test(page)) throw new Error(`the page has no place for the figures of ${set}`);
  const text = figuresOf(figures);
  const block = `<!-- figures of ${set}, sha256 ${digestOf(text)} -->\n${text}<!-- end of ${set} -->`;
  return page.replace(patternOf(set), () => block);
}

/** Checks whether the page shows the figures that the benchmark measured for the set. */
export function hasMeasuredFigures(page: string, set: SetName): boolean {
  const [, digest, text] = patternOf(set).exec(page) ?? [];
  return text !== undefined && digest === digestOf(text);
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function figuresOf(figures: SetFigures): string {
  const { date, engineVersion } = figures;
  return ['', `Measured on ${date} with version ${engineVersion} of the engine.`, '', ...setTables(figures), ''].join(
    '\n',
  );
}

function setTables({ posts, scan }: SetFigures): string[] {
  const row = (name: string, textOf: (summary: Summary) => string): string[] => [name, textOf(posts), textOf(scan)];
  return [
    ...table(
      ['figure', 'sent one by one', 'sent as one file'],
      [
        row('customers', ({ customers }) => count(customers)),
        row('invoices', ({ rows }) => count(rows)),
        row('invoices entered again', ({ copies }) => count(copies)),
        row('precision: warnings of a duplicate that are right', ({ precision }) => percent(precision)),
        row('recall: invoices entered again that are found', ({ recall }) => percent(recall)),
        row('of those whose number is still recognizable', ({ relatedRecall }) => percent(relatedRecall)),
        row('of those under another number', ({ unrelatedRecall }) => percent(unrelatedRecall)),
        row('F1 of precision and recall', ({ f1 }) => interval(f1, (value) => value.toFixed(3))),
        row('F1 without numbers that are only reported as used again', ({ f1OfPairs }) =>
          interval(f1OfPairs, (value) => value.toFixed(3)),
        ),
        row('wrong warnings of a duplicate in 1,000 correct invoices', ({ falsePairs }) => perThousand(falsePairs)),
        row('correct invoices held up, in 1,000', ({ notPassed }) => perThousand(notPassed)),
        row('correct invoices blocked, in 1,000', ({ blocked }) => perThousand(blocked)),
        row('planted faults found', ({ anomalies }) => percent(anomalies)),
      ],
    ),
    'How often a warning of MEDIUM and above is right, by the confidence that it states:',
    '',
    ...table(
      ['confidence', 'warnings, one by one', 'right', 'warnings, one file', 'right'],
      [...new Set([...posts.rightByConfidence.keys(), ...scan.rightByConfidence.keys()])].sort().map((band) => [
        band,
        ...[posts, scan].flatMap(({ rightByConfidence }) => {
          const figure = rightByConfidence.get(band);
          return figure === undefined || figure.cases === 0 ? ['0', '-'] : [count(figure.cases), percent(figure)];
        }),
      ]),
    ),
    'What held up correct invoices (number of findings):',
    '',
    ...table(['finding', 'one by one', 'one file'], frequent(posts.stoppedBy, scan.stoppedBy)),
    'What was missed, sent one by one:',
    '',
    ...table(
      ['way of entering an invoice again, or planted fault', 'missed', 'of'],
      [...missed(posts.missedCopies), ...missed(posts.missedAnomalies)],
    ),
  ];
}

function frequent(posts: ReadonlyMap<string, number>, scan: ReadonlyMap<string, number>): string[][] {
  const types = [...new Set([...posts.keys(), ...scan.keys()])];
  const countOf = (type: string): number => (posts.get(type) ?? 0) + (scan.get(type) ?? 0);
  return types
    .sort((left, right) => countOf(right) - countOf(left))
    .map((type) => [`\`${type}\``, count(posts.get(type) ?? 0), count(scan.get(type) ?? 0)]);
}

function missed(kinds: ReadonlyMap<string, Rate>): string[][] {
  return [...kinds].map(([name, { hits, of }]) => [
    name.replace(/^unrelated: (.*)/, '$1 (another number)'),
    count(of - hits),
    count(of),
  ]);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const body = rows.length === 0 ? [head.map((_, index) => (index === 0 ? 'none' : ''))] : rows;
  return [
    '<!-- prettier-ignore -->',
    ...[head, head.map((_, index) => (index === 0 ? '---' : '---:')), ...body].map(line),
    '',
  ];
}

function count(value: number): string {
  return value.toLocaleString('en');
}

function percent(figure: Figure): string {
  return `${interval(figure, (value) => (100 * value).toFixed(1))} %`;
}

function perThousand(figure: Figure): string {
  return interval(figure, (value) => (1000 * value).toFixed(2));
}

export function interval({ value, low, high }: Figure, textOf: (value: number) => string): string {
  return `${textOf(value)} (${textOf(low)} to ${textOf(high)})`;
}
