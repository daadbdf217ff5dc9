import { KEY_NOTE } from '../command.js';
import type { Command } from '../command.js';

export const createOrganization: Command = {
  name: 'create-organization',
  summary: 'create an organization with its default company, its owner and the first key',
  service: 'organization',
  options: {
    name: { value: 'NAME', description: 'the name of the organization', isRequired: true },
    'owner-email': { value: 'EMAIL', description: 'the e-mail address of its owner', isRequired: true },
    plan: {
      value: 'PLAN',
      description: 'FREE, CORE, CONTROL, SCALE or ENTERPRISE (default ENTERPRISE, until it subscribes)',
    },
    'base-currency': { value: 'CODE', description: 'the currency of totals and scores (default EUR)' },
  },
  examples: [
    '--name Acme --owner-email owner@acme.example',
    '--name Acme --owner-email owner@acme.example --plan SCALE --base-currency PLN --json',
  ],
  async run({ organization, call }, given) {
    const { organizationId, companyId, ownerKey } = await organization.createOrganization(
      {
        name: given['name'] ?? '',
        ownerEmail: given['owner-email'] ?? '',
        plan: given['plan'] ?? '',
        baseCurrency: given['base-currency'] ?? '',
      },
      call,
    );
    return {
      json: { organizationId, companyId, ownerKey },
      sentence: 'The organization was created.',
      values: { Organization: organizationId, 'Default company': companyId, "Owner's key": ownerKey },
      note: KEY_NOTE,
    };
  },
};
