import type { Finding } from '../explanation/evidence.js';

/** Wordings that an accountant would not understand at once and that sentences of findings must not contain. */
const slips: readonly (readonly [slip: string, pattern: RegExp])[] = [
  // Before an amount or an order, `bills` is a verb, so the pattern does not match it there. Its look-behind excludes
  // invoice numbers and names that end with a 1.
  [
    'one of a plural',
    /(?<![-.,/\p{L}\p{N}])1 (?:(?:earlier|other|regular) )?(?:invoices|times|days|hours|bills(?! [A-Z]{3} | order )|rows|revisions|accounts|amounts|vendors|suppliers|digits|places|characters)\b/u,
  ],
  ['a share of nothing', /(?<!\b[A-Z]{3} )\b0 of 0\b/],
  ['the largest of one', /\blargest of 1\b|\bone on 1 of 1\b/],
  ['more decimals than money has', /\b(?!KWD|BHD|TND|OMR|JOD|IQD|LYD|CLF|UYW)[A-Z]{3} -?[0-9,]+\.[0-9]{3,}/],
  ['an amount without thousands separators', /\b(?:CHF|CZK|DKK|EUR|GBP|HUF|JPY|KWD|NOK|PLN|SEK|USD) -?[0-9]{4}/],
  ['a per cent sign apart from its number', /[0-9] %/],
  [
    'money of one currency in two formats',
    /\b([A-Z]{3}) -?[0-9,]+\.[0-9]{2}\b.*\b\1 -?[0-9]+(?:,[0-9]{3})*(?![.0-9]|,[0-9])|\b([A-Z]{3}) -?[0-9]+(?:,[0-9]{3})*(?![.0-9]|,[0-9]).*\b\2 -?[0-9,]+\.[0-9]{2}\b/,
  ],
  ['a limit of which the currency is missing', /at least [0-9]+(?:\.[0-9]+)?[;,.]/],
  ['"over", which may be "more than"', /\bover [A-Z]{3} [0-9]/],
  ['a value that is none', /undefined|\bNaN\b|\bnull\b|\{[a-zA-Z]+\}/],
  ['an empty name or number', / {2}| [,.;](?!\.)|\(\)/],
  // The pattern excludes invoice numbers that begin like a country code, such as the Portuguese number `FR 18/03987`.
  [
    'the code of a country',
    /\b(?:in|of|from|to|are) (?:AT|BE|CH|DE|DK|ES|FI|FR|GB|IT|LT|NL|NO|PL|PT|SE|US)(?=[ ,.;])(?! [#A-Z]?[0-9])/,
  ],
  ['the name of a field', /\b[a-z]+(?:_[a-z]+|\.[a-z]+_[a-z]+)+\b/],
  ['the name of a constant', /(?<![A-Za-z0-9_/-])[A-Z]+_[A-Z_]+\b/],
  ['talk about how scoring works', /earn its points|starts below zero|\bweight \d|\bpoints\b|\bscore\b|judged/i],
  [
    'the jargon of statistics',
    /\bmedian\b|\bspread\b|expected shares|\bstands at\b|standard deviation|where chance explains|Benford/i,
  ],
  ['a metaphor', /too young|pile up|brought to light|coincides by chance/],
  [
    'two accounts that show as one, without where they differ',
    /(\S+\*{4}\S+) (?:\(.*\) )?(?:instead of|after [0-9]+ invoices? with) \1(?!.*\bdiffers? )/,
  ],
  ['a payment that nobody made yet', /\b(?:is|are) paid to\b/],
  ['more of what', /\band [0-9]+ more\./],
  ['a time that begins and ends on one day', /\bfrom ([0-9]{4}-[0-9]{2}-[0-9]{2}) to \1/i],
  ['a share where a count is known', /[0-9]% of [0-9]+ invoices/],
  ['a supplier on an account', /known on (?:the |this )?account/],
  ['"one" for "the same"', /have one amount/],
  ['a rhythm or a contract that nobody knows of', /bills this amount regularly|names a contract|contract number/],
];

/** Lists faults in the sentences of a finding that accountants read. */
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
