import { fieldPaths } from '../reading.js';
import type { FieldPath, FieldReading } from '../reading.js';
import type { TextReading } from '../text/read-text.js';

const AGREEMENT_BONUS = 0.1;
/**
 * Invoice amounts that must all come from the same reading of a picture, because amounts from different readings may
 * not add up.
 */
const AMOUNTS: readonly FieldPath[] = ['net_amount', 'tax_amount', 'gross_amount'];

/**
 * Combines two text recognitions of one picture. If they agree on a value, its confidence is raised. Otherwise the
 * value with the higher confidence is used. All amounts come from the same recognition.
 */
export function combineReadings(first: TextReading, second: TextReading): TextReading {
  const better = rank(second) > rank(first) ? second : first;
  const ofAmounts = amountRank(second) > amountRank(first) ? second : first;
  const fields: Partial<Record<FieldPath, FieldReading>> = {};
  for (const path of fieldPaths) {
    const [one, other] = [first.fields[path], second.fields[path]];
    const isBetter = one === undefined || (other !== undefined && other.confidence > one.confidence);
    const chosen = AMOUNTS.includes(path) ? ofAmounts.fields[path] : isBetter ? other : one;
    if (chosen === undefined) continue;
    const isAgreed = one?.value === other?.value;
    fields[path] = isAgreed ? { ...chosen, confidence: Math.min(1, chosen.confidence + AGREEMENT_BONUS) } : chosen;
  }
  const { ksefNumber: _ofBetter, ...rest } = better;
  const [ksefNumber = second.ksefNumber, another = ksefNumber] = [first.ksefNumber, second.ksefNumber];
  return {
    ...rest,
    payableAmount: ofAmounts.payableAmount,
    fields,
    currencyCandidates: fields.currency === undefined ? better.currencyCandidates : [],
    // If two readings of one picture state different KSeF numbers, neither number is used.
    ...(ksefNumber === undefined || ksefNumber !== another ? {} : { ksefNumber }),
  };
}

/**
 * Ranks the amounts of a reading. A reading whose net amount and tax add up to its gross amount comes first, and then
 * the reading with the higher confidence in its gross amount.
 */
function amountRank({ fields }: TextReading): number {
  return (fields.net_amount === undefined ? 0 : 1) + (fields.gross_amount?.confidence ?? -1);
}

function rank({ fields }: TextReading): number {
  const required = [fields.invoice_number, fields.issue_date, fields.gross_amount, fields['supplier.name']];
  return required.filter((field) => field !== undefined).length * 2 + (fields.net_amount === undefined ? 0 : 1);
}
