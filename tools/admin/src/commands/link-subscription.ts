import { EXAMPLE_ID, organizationOption } from '../command.js';
import type { Command } from '../command.js';

const EXAMPLE_SUBSCRIPTION = 'sub_01hv8y5ehszzq0yv20ttx3166y';

export const linkSubscription: Command = {
  name: 'link-subscription',
  summary: 'link a waiting subscription of the payment provider to an organization, permanently; `stuck` lists them',
  service: 'billing',
  options: {
    subscription: {
      value: 'ID',
      description: 'the id of the subscription at the payment provider: sub_...',
      isRequired: true,
    },
    organization: organizationOption,
    'dry-run': { description: 'show who pays and what the organization has, and change nothing' },
  },
  examples: [
    `--subscription ${EXAMPLE_SUBSCRIPTION} --organization ${EXAMPLE_ID} --dry-run`,
    `--subscription ${EXAMPLE_SUBSCRIPTION} --organization ${EXAMPLE_ID}`,
  ],
  async run({ billing, call }, given) {
    const { subscription: subscriptionId = '', organization: organizationId = '' } = given;
    const isDryRun = given['dry-run'] !== undefined;
    const answer = await billing.linkSubscription({ subscriptionId, organizationId, dryRun: isDryRun }, call);
    const { linked, alreadyLinked, plan, status, otherCustomerIds, otherSubscriptionIds } = answer;
    const customerId = answer.customerId ?? null;
    const customerEmail = answer.customerEmail ?? null;
    const namedOrganizationId = answer.namedOrganizationId ?? null;
    const notes = [
      ...(alreadyLinked || namedOrganizationId === organizationId
        ? []
        : ['Its checkout did not name this organization.']),
      ...(otherSubscriptionIds.length === 0
        ? []
        : ['The organization has another subscription that is not canceled. While it lasts, this one grants nothing.']),
      ...(isDryRun && !alreadyLinked
        ? ['Linking cannot be undone. Ask the organization whether it pays for this subscription.']
        : []),
    ];
    return {
      json: {
        subscriptionId,
        organizationId,
        linked,
        alreadyLinked,
        plan,
        status,
        customerId,
        customerEmail,
        namedOrganizationId,
        otherCustomerIds,
        otherSubscriptionIds,
      },
      sentence: alreadyLinked
        ? 'The subscription was already linked to the organization.'
        : linked
          ? 'The subscription was linked to the organization.'
          : 'Nothing was changed.',
      values: {
        Subscription: `${subscriptionId} (${plan}, ${status})`,
        Customer: customerId ?? 'unknown',
        'E-mail of the customer': customerEmail ?? 'unknown',
        'Organization that its checkout named': namedOrganizationId ?? 'none',
        'Other customers of the organization': listed(otherCustomerIds),
        'Its other open subscriptions': listed(otherSubscriptionIds),
      },
      ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
    };
  },
};

function listed(ids: readonly string[]): string {
  return ids.length === 0 ? 'none' : ids.join(', ');
}
