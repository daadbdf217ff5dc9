import { count, record } from '@invoicecontrol/runtime/telemetry';
import { metrics } from '@invoicecontrol/runtime/telemetry/schema';
import type { AttributesOf } from '@invoicecontrol/runtime/telemetry/schema';

type Meter = AttributesOf<'invoicecontrol.quota.used'>['meter'];

/** Records the used share of a monthly quota. If the plan has no limit, nothing is recorded. */
export function quotaUsed(meter: string, used: number, limit: number | undefined): void {
  if (limit === undefined || limit <= 0 || !isMeter(meter)) return;
  record('invoicecontrol.quota.used', used / limit, { meter });
}

/** Counts the units by which a usage counter was wrong. */
export function usageCorrected(meter: string, correction: number): void {
  if (!isMeter(meter)) return;
  count(
    'invoicecontrol.usage.corrected',
    { meter, direction: correction > 0 ? 'raised' : 'lowered' },
    Math.abs(correction),
  );
}

function isMeter(meter: string): meter is Meter {
  return (metrics['invoicecontrol.quota.used'].attributes.meter.values as readonly string[]).includes(meter);
}
