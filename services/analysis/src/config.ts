import { z } from 'zod';
import { isCalendarDate } from '@invoicecontrol/values/calendar-date';
import type { FailurePeriod } from '@invoicecontrol/engine/facts/inbox-facts';
import { addressSettings, serviceSettings } from '@invoicecontrol/runtime/config';
import { keyRing } from '@invoicecontrol/secretbox/key-ring';

const FAILURE_PERIODS_MAX = 100;

/**
 * Announced KSeF outages as date ranges separated by commas, such as `2026-05-04/2026-05-06`. Both dates are included.
 */
const failurePeriods = z.string().transform((text, issues): readonly FailurePeriod[] => {
  const entries = text.split(',').map((entry) => entry.trim());
  const stated = entries.filter((entry) => entry !== '');
  const periods = stated.flatMap((entry): FailurePeriod[] => {
    const [from = '', to = '', ...more] = entry.split('/');
    return more.length === 0 && isCalendarDate(from) && isCalendarDate(to) && from <= to ? [{ from, to }] : [];
  });
  if (periods.length < stated.length || periods.length > FAILURE_PERIODS_MAX) {
    issues.addIssue(
      `must be at most ${FAILURE_PERIODS_MAX} periods such as 2026-05-04/2026-05-06, separated by commas, the first day not after the last`,
    );
  }
  return periods;
});

/** Environment variables of the analysis service. */
export const configSchema = z.object({
  ...serviceSettings('analysis'),
  ...addressSettings('organization', 'documents'),
  /**
   * URL of the folder with the euro reference rates. Without a URL, amounts in foreign currencies are not converted.
   */
  ECB_FEED_URL: z.url().optional(),
  /** Announced KSeF outages. Invoices issued on these days need not be sent through KSeF. */
  KSEF_FAILURE_PERIODS: failurePeriods.default([]),
  /**
   * Day from which transfers between Polish VAT payers must state KSeF numbers (article 108g of the Polish VAT act).
   */
  KSEF_NUMBERS_IN_TRANSFERS_FROM: z
    .string()
    .refine(isCalendarDate, 'must be a date such as 2027-01-01')
    .default('2027-01-01'),
  SECRETBOX_KEYS: keyRing,
});

export type Config = z.infer<typeof configSchema>;
