import { UsageServiceDefinition } from '@invoicecontrol/contracts/usage/v1/usage_service';
import type { GetUsageResponse } from '@invoicecontrol/contracts/usage/v1/usage_service';
import { invalidField } from '@invoicecontrol/errors';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { monthBefore, usageMonth } from './usage-month.js';

/** Maximum number of months for which one request can ask for the past usage. */
const HISTORY_MONTHS_MAX = 24;
const MONTH = /^[0-9]{4}-(?:0[1-9]|1[0-2])$/;

/** Meters of a service by name, as the contract lists them. */
export interface Meters {
  /** Meters of monthly quotas. Each returns the usage of an organization in a month (`YYYY-MM`, UTC). */
  readonly monthly?: Readonly<Record<string, (organizationId: string, month: string) => Promise<number>>>;
  /**
   * Meters that count existing records, such as members. Each meter returns the present number of these records for an
   * organization.
   */
  readonly present?: Readonly<Record<string, (organizationId: string) => Promise<number>>>;
}

/** Implements the gRPC service invoicecontrol.usage.v1.UsageService for the meters of one service. */
export function usageService({ monthly = {}, present = {} }: Meters, clock: Clock): Binding {
  const usedIn = async (organizationId: string, period: string): Promise<GetUsageResponse> => {
    const read = Object.entries(monthly).map(async ([meter, readMeter]) => ({
      meter,
      used: await readMeter(organizationId, period),
    }));
    return { period, meters: await Promise.all(read) };
  };
  return bind(UsageServiceDefinition, {
    async getUsage({ organizationId, period: asked }) {
      const now = usageMonth(clock.now());
      const period = asked ?? now;
      if (!MONTH.test(period) || period > now)
        throw invalidField('period', 'must be a month such as 2026-03 that is not in the future.');
      const counted = period === now ? Object.entries(present) : [];
      const [{ meters }, existing] = await Promise.all([
        usedIn(organizationId, period),
        Promise.all(counted.map(async ([meter, readMeter]) => ({ meter, used: await readMeter(organizationId) }))),
      ]);
      return { period, meters: [...meters, ...existing] };
    },
    async listUsageHistory({ organizationId, months }) {
      if (months < 1 || months > HISTORY_MONTHS_MAX)
        throw invalidField('months', `must be from 1 to ${HISTORY_MONTHS_MAX}.`);
      const periods = [usageMonth(clock.now())];
      while (periods.length < months) periods.push(monthBefore(periods.at(-1) ?? ''));
      return { periods: await Promise.all(periods.map((period) => usedIn(organizationId, period))) };
    },
  });
}
