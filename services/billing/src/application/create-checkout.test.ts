import { expect, test } from 'vitest';
import { systemContext } from '@invoicecontrol/runtime/request-context';
import { createCheckout } from './create-checkout.js';

test('refuses a checkout where no plan is sold, before anything is stored', async () => {
  const untouched = (): never => {
    throw new Error('This must not be called.');
  };
  const checkout = createCheckout({
    accounts: { find: untouched, ensure: untouched },
    checkouts: { insert: untouched },
    prices: undefined,
    successUrl: 'https://example.com/',
    clock: { now: () => new Date(0) },
  });
  const input = {
    organizationId: 'org_1',
    planCode: 'CONTROL',
    billingInterval: 'month',
    additionalLegalEntities: 0,
    subscriptionStatus: 'none',
  };
  await expect(checkout(input, systemContext('req_1'))).rejects.toMatchObject({
    kind: 'wrong_state',
    message: expect.stringContaining('No plan can be bought in this installation'),
  });
});
