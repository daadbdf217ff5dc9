import { UsageServiceDefinition } from '@invoicecontrol/contracts/usage/v1/usage_service';
import type { Clock } from '@invoicecontrol/runtime/clock';
import { bind } from '@invoicecontrol/runtime/grpc/server';
import type { Binding } from '@invoicecontrol/runtime/grpc/server';
import { usageMonth } from './usage-month.js';

/**
 * Returns the usage of a meter by an organization: in the month (`YYYY-MM`, UTC), or at present if the meter counts
 * existing records.
 */
export type ReadMeter = (organizationId: string, month: string) => Promise<number>;

/**
 * Implements the gRPC service invoicecontrol.usage.v1.UsageService for the meters of one service.
 * @param meters meters by name, as the contract lists them
 */
export function usageService(meters: Readonly<Record<string, ReadMeter>>, clock: Clock): Binding {
  return bind(UsageServiceDefinition, {
    async getUsage({ organizationId }) {
      const period = usageMonth(clock.now());
      const read = Object.entries(meters).map(async ([meter, readMeter]) => ({
        meter,
        used: await readMeter(organizationId, period),
      }));
      return { period, meters: await Promise.all(read) };
    },
  });
}
