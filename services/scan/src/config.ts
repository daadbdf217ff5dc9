import { z } from 'zod';
import { serviceSettings } from '@invoicecontrol/runtime/config';

/** The environment of the scan service. */
export const configSchema = z.object({
  ...serviceSettings('scan'),
  ORGANIZATION_ADDRESS: z.string(),
  ANALYSIS_ADDRESS: z.string(),
});

export type Config = z.infer<typeof configSchema>;
