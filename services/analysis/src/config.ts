import { z } from 'zod';
import { addressSettings, secret, serviceSettings } from '@invoicecontrol/runtime/config';

/** The environment of the analysis service. */
export const configSchema = z.object({
  ...serviceSettings('analysis'),
  ...addressSettings('organization'),
  /** Folder of the euro reference rates; without it no foreign amount is converted. */
  ECB_FEED_URL: z.url().optional(),
  /** What the operator's command line authenticates with, for replays over an organization's history. */
  OPERATOR_TOKEN: secret.min(32).optional(),
});

export type Config = z.infer<typeof configSchema>;
