import { enumName, optionalEnumName } from '@invoicecontrol/contracts/enum-name';
import type { WireEnum } from '@invoicecontrol/contracts/enum-name';

/**
 * Combines the values of a filter. Gateways of an earlier release send a single value.
 * @returns undefined if the filter has no value
 */
export function severalOf<W extends WireEnum>(wireEnum: W, single: W[keyof W], several: readonly W[keyof W][]) {
  if (several.length > 0) return several.map((value) => enumName(wireEnum, value));
  const only = optionalEnumName(wireEnum, single);
  return only === undefined ? undefined : [only];
}
