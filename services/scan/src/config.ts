import { z } from 'zod';
import { addressSettings, serviceSettings } from '@invoicecontrol/runtime/config';

/** Environment variables of the scan service. */
export const configSchema = z.object({
  ...serviceSettings('scan'),
  ...addressSettings('organization', 'analysis'),
});

export type Config = z.infer<typeof configSchema>;
