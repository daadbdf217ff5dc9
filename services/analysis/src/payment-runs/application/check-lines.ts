import type { TenantFacts } from '@invoicecontrol/tenants/facts';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { pace } from '@invoicecontrol/runtime/pace';
import { taxIdOfCompany } from '@invoicecontrol/engine/facts/companies';
import type { CalendarDate } from '@invoicecontrol/values/calendar-date';
import { minorUnitsOf } from '@invoicecontrol/values/currency';
import { minorToDecimal, toMinorUnits } from '@invoicecontrol/values/decimal-amount';
import { compareText } from '@invoicecontrol/engine/facts/record-order';
import type { LineFacts } from '../domain/join.js';
import type { PaymentLine } from '../domain/payment-line.js';
import type { PaymentRun, VerdictCount } from '../domain/run.js';
import { judgeOf } from '../domain/verdict.js';
import type { LineResult, RunFacts, Verdict } from '../domain/verdict.js';
import type { LoadLineFacts } from './load-line-facts.js';
import type { PaymentRunStore } from './payment-run-store.js';

/** Maximum time in milliseconds for which the check of a payment run keeps other requests waiting. */
const TURN_MS_MAX = 0.5;

interface Deps {
  readonly load: LoadLineFacts;
  readonly runs: Pick<PaymentRunStore, 'hasMessageId'>;
  readonly clock: Clock;
  /** Day from which transfers between Polish VAT payers must state KSeF numbers. */
  readonly ksefNumbersFrom: CalendarDate;
}

export interface CheckedRun {
  readonly facts: readonly LineFacts[];
  readonly run: RunFacts;
  readonly results: readonly LineResult[];
}

/**
 * Loads the facts about the lines of a payment run and checks each line.
 * @param namedIds invoices that people named when they released lines, by line id
 * @param usedBefore by invoice, the amount that earlier lines of the run pay; needed if only some lines of the run are
 *   checked
 */
export type CheckLines = (
  run: Pick<PaymentRun, 'organizationId' | 'runId' | 'companyId' | 'messageId'>,
  lines: readonly PaymentLine[],
  tenant: TenantFacts,
  namedIds?: ReadonlyMap<string, readonly string[]>,
  usedBefore?: ReadonlyMap<string, bigint>,
) => Promise<CheckedRun>;

export const checkLines =
  ({ load, runs, clock, ksefNumbersFrom }: Deps): CheckLines =>
  async (
    { organizationId, runId, companyId, messageId },
    lines,
    tenant,
    namedIds = new Map(),
    usedBefore = new Map(),
  ) => {
    const turns = pace(TURN_MS_MAX);
    const [{ facts, references, openCredits }, isRepeated] = await Promise.all([
      load({ organizationId, runId, now: clock.now(), namedIds }, lines, turns),
      messageId === undefined ? false : runs.hasMessageId(organizationId, { companyId, messageId, exceptRunId: runId }),
    ]);
    const company = tenant.companies.find((one) => one.companyId === companyId);
    const debtorCountry = company === undefined ? undefined : (taxIdOfCompany(company)?.country ?? company.country);
    const run: RunFacts = {
      companyId,
      ...(debtorCountry === undefined ? {} : { debtorCountry }),
      ...(isRepeated && messageId !== undefined ? { repeatedMessageId: messageId } : {}),
      ksefNumbersFrom,
      openCredits,
    };
    const judge = judgeOf(run, usedBefore);
    const results: LineResult[] = [];
    for (const [index, line] of facts.entries()) {
      results.push(judge(line, references[index]));
      await turns();
    }
    return { facts, run, results };
  };

/** Counts the lines of a payment run by verdict, with their sums. */
export function countsOf(
  lines: readonly Pick<PaymentLine, 'amount' | 'currency'>[],
  results: readonly Pick<LineResult, 'verdict'>[],
): Readonly<Record<Verdict, VerdictCount>> {
  const of = (verdict: Verdict): VerdictCount => {
    const sums = new Map<string, bigint>();
    let count = 0;
    for (const [index, { amount, currency }] of lines.entries()) {
      if (results[index]?.verdict !== verdict) continue;
      count += 1;
      sums.set(currency, (sums.get(currency) ?? 0n) + toMinorUnits(amount, minorUnitsOf(currency)));
    }
    return {
      count,
      sums: [...sums]
        .sort(([left], [right]) => compareText(left, right))
        .map(([currency, minor]) => ({ currency, amount: minorToDecimal(minor, minorUnitsOf(currency)) })),
    };
  };
  return { PAY: of('PAY'), HOLD: of('HOLD'), UNKNOWN: of('UNKNOWN') };
}
