import { EXAMPLE_ID, organizationOption, UsageError } from '../command.js';
import type { Command } from '../command.js';

export const setPlan: Command = {
  name: 'set-plan',
  summary: 'set plan and subscription of an organization; omitted values are unchanged',
  service: 'organization',
  options: {
    organization: organizationOption,
    plan: { value: 'PLAN', description: 'FREE, CORE, CONTROL, SCALE or ENTERPRISE' },
    'subscription-status': {
      value: 'STATUS',
      description: 'none, trialing, active, past_due, paused or canceled',
    },
    'additional-legal-entities': { value: 'N', description: 'companies allowed beyond the first, 0 to 100' },
  },
  examples: [`--organization ${EXAMPLE_ID} --plan SCALE --subscription-status active`],
  async run({ organization, call }, given) {
    const organizationId = given['organization'] ?? '';
    const { plan, 'subscription-status': status, 'additional-legal-entities': additional } = given;
    if (plan === undefined && status === undefined && additional === undefined) {
      throw new UsageError(
        'set-plan changes nothing without --plan, --subscription-status or --additional-legal-entities.',
      );
    }
    await organization.setPlan(
      {
        organizationId,
        plan: plan ?? '',
        subscriptionStatus: status ?? '',
        additionalLegalEntities: additional === undefined ? undefined : readCount(additional),
      },
      call,
    );
    return { json: { organizationId }, sentence: 'The plan was set.' };
  },
};

function readCount(text: string): number {
  if (!/^\d{1,3}$/.test(text)) throw new UsageError('--additional-legal-entities must be a number from 0 to 100.');
  return Number(text);
}
