import { optionalEnumName } from '@invoicecontrol/contracts/enum-name';
import { Decision } from '@invoicecontrol/contracts/analysis/v1/invoice';
import { EXAMPLE_ID, organizationOption } from '../command.js';
import type { Command } from '../command.js';
import { readJsonFile } from '../json-file.js';
import { readSample, sampleOptions, walkPages } from '../sample.js';

export const dryRunPolicy: Command = {
  name: 'dry-run-policy',
  summary: 'list the invoices that another policy would decide differently; changes nothing',
  service: 'analysis',
  options: {
    organization: organizationOption,
    policy: {
      value: 'FILE',
      description: 'the whole policy as JSON: `policy` of GET /policies/current, edited',
      isRequired: true,
    },
    ...sampleOptions,
  },
  examples: [`--organization ${EXAMPLE_ID} --policy policy.json --sample 1000`],
  async run({ analysis, call }, given) {
    const organizationId = given['organization'] ?? '';
    const sample = readSample(given);
    const policyJson = await readJsonFile('policy', given['policy'] ?? '');
    const changed: { invoiceId: string; from: string; to: string; riskScoreFrom: number; riskScoreTo: number }[] = [];
    let replayed = 0;
    await walkPages(sample, async (page) => {
      const answer = await analysis.dryRunPolicy({ organizationId, policyJson, ...page }, call);
      replayed += answer.replayed;
      for (const { from, to, ...change } of answer.changed) {
        changed.push({ ...change, from: nameOf(from), to: nameOf(to) });
      }
      return answer;
    });
    return {
      json: { replayed, changed },
      sentence: `${changed.length} of ${replayed} invoices would be decided differently.`,
      values: Object.fromEntries(changed.map(({ invoiceId, from, to }) => [invoiceId, `${from} -> ${to}`])),
    };
  },
};

function nameOf(decision: Decision): string {
  return optionalEnumName(Decision, decision) ?? 'UNDECIDED';
}
