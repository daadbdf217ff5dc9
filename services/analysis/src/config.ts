import { z } from 'zod';
import { addressSettings, operatorToken, serviceSettings } from '@invoicecontrol/runtime/config';

/** Environment variables of the analysis service. */
export const configSchema = z.object({
  ...serviceSettings('analysis'),
  ...addressSettings('organization', 'documents'),
  /** URL of the folder with the euro reference rates. Without it, no foreign amount is converted. */
  ECB_FEED_URL: z.url().optional(),
  OPERATOR_TOKEN: operatorToken,
});

export type Config = z.infer<typeof configSchema>;
