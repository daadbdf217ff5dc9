import { counted } from '../text-output.js';
import type { Command } from '../command.js';

/**
 * Timeout of the command. The billing service reads the payment provider's list of subscriptions page by page, which
 * takes long.
 */
const TIMEOUT_MS = 600_000;

export const reconcileSubscriptions: Command = {
  name: 'reconcile-subscriptions',
  summary: "compare every subscription with the payment provider's and correct what differs, as the daily job does",
  service: 'billing',
  options: {},
  examples: [''],
  async run({ billing, call }) {
    const { checked, corrected, unknown } = await billing.reconcileSubscriptions(
      {},
      { ...call, timeoutMs: TIMEOUT_MS },
    );
    return {
      json: { checked, corrected, unknown },
      sentence: `${counted(checked, 'subscription')} compared.`,
      values: { Corrected: String(corrected), Unknown: String(unknown) },
      ...(unknown === 0
        ? {}
        : {
            note: 'Unknown subscriptions are not linked to an organization (`stuck` lists them) or have no known price (the billing log names them).',
          }),
    };
  },
};
