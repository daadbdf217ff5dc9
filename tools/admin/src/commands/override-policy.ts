import { EXAMPLE_ID, organizationOption } from '../command.js';
import type { Command } from '../command.js';
import { readJsonFile } from '../json-file.js';

export const overridePolicy: Command = {
  name: 'override-policy',
  summary: 'replace the overrides of the default policy for an organization',
  service: 'analysis',
  options: {
    organization: organizationOption,
    overrides: {
      value: 'FILE',
      description: 'the members that differ as JSON, in the shape of `policy` of GET /policies/current; {} removes all',
      isRequired: true,
    },
  },
  examples: [`--organization ${EXAMPLE_ID} --overrides overrides.json`],
  async run({ analysis, call }, given) {
    const overridesJson = await readJsonFile('overrides', given['overrides'] ?? '');
    const { version } = await analysis.overridePolicy(
      { organizationId: given['organization'] ?? '', overridesJson },
      call,
    );
    return {
      json: { version },
      sentence: `New invoices are now decided by policy ${version}.`,
      values: { Policy: version },
    };
  },
};
