import { organizationOption } from '../command.js';
import type { Command } from '../command.js';
import { readJsonFile } from '../json-file.js';

export const overridePolicy: Command = {
  name: 'override-policy',
  summary: 'put an organization’s own numbers in place of those of the default policy, from now on',
  service: 'analysis',
  options: {
    organization: organizationOption,
    overrides: {
      value: 'FILE',
      description: 'the members that differ as JSON, in the shape of GET /policies/current; {} takes all away',
      isRequired: true,
    },
  },
  async run({ policies, call }, given) {
    const overridesJson = await readJsonFile('overrides', given['overrides'] ?? '');
    const { version } = await policies.overridePolicy(
      { organizationId: given['organization'] ?? '', overridesJson },
      call,
    );
    return {
      json: { version },
      sentence: `Invoices are decided by ${version} from now on.`,
      values: { Policy: version },
    };
  },
};
