import type { Finding } from '../explanation/evidence.js';

/** What an accountant stumbles over in a sentence. */
const slips: readonly (readonly [slip: string, pattern: RegExp])[] = [
  [
    'one of a plural',
    /(?<![-.,/0-9])1 (?:(?:earlier|other|regular) )?(?:invoices|times|days|hours|bills|rows|revisions|accounts|amounts|vendors|suppliers|digits|places|characters)\b/,
  ],
  ['a share of nothing', /\b0 of 0\b/],
  ['more decimals than money has', /\b(?!KWD|BHD|TND|OMR|JOD|IQD|LYD|CLF|UYW)[A-Z]{3} -?[0-9]+\.[0-9]{3,}/],
  ['a limit of which the currency is missing', /at least [0-9]+(?:\.[0-9]+)?[;,.]/],
  ['"over", which may be "more than"', /\bover [A-Z]{3} [0-9]/],
  ['a value that is none', /undefined|\bNaN\b|\bnull\b|\{[a-zA-Z]+\}/],
  ['an empty name or number', / {2}| [,.;](?!\.)|\(\)/],
  ['the code of a country', /\b(?:in|of|from|to|are) (?:AT|BE|CH|DE|DK|ES|FI|FR|GB|IT|LT|NL|NO|PL|PT|SE|US)(?=[ ,.;])/],
  ['the name of a field', /\b[a-z]+(?:_[a-z]+|\.[a-z]+_[a-z]+)+\b/],
  ['the name of a constant', /(?<![A-Za-z0-9_/-])[A-Z]+_[A-Z_]+\b/],
  ['talk about how scoring works', /earn its points|starts below zero|\bweight \d|\bpoints\b|\bscore\b|judged/i],
  [
    'the jargon of statistics',
    /\bmedian\b|\bspread\b|expected shares|\bstands at\b|standard deviation|where chance explains|Benford/i,
  ],
  ['a metaphor', /too young|pile up|brought to light|coincides by chance/],
  ['a rhythm or a contract that nobody knows of', /bills this amount regularly|names a contract|contract number/],
];

/** What is wrong with the sentences of a finding: they are read by accountants. */
export function wordingFaults({ type, summary, recommendedAction, evidence }: SentencesOf): string[] {
  const sentences = [summary, recommendedAction ?? '', ...evidence.explanation, ...notesIn(evidence['comparisons'])];
  return sentences.flatMap((sentence) =>
    slips.flatMap(([slip, pattern]) => (pattern.test(sentence) ? [`${type}: ${slip}: ${sentence}`] : [])),
  );
}

type SentencesOf = Pick<Finding, 'type' | 'summary' | 'recommendedAction' | 'evidence'>;

function notesIn(comparisons: unknown): string[] {
  if (!Array.isArray(comparisons)) return [];
  return (comparisons as { readonly note?: string }[]).flatMap(({ note }) => note ?? []);
}
