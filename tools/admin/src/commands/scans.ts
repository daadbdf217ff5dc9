import { EXAMPLE_ID, organizationOption } from '../command.js';
import type { Command } from '../command.js';

export const abandonScan: Command = {
  name: 'scans abandon',
  summary: 'end a scan that can never complete, as FAILED; its rows are dropped and no longer count',
  service: 'scan',
  argument: { value: 'SCAN_ID', description: 'the id of the scan, as `stuck` prints it', isRequired: true },
  options: {
    organization: organizationOption,
    reason: { value: 'TEXT', description: 'the reason, stored with the scan and logged', isRequired: true },
  },
  examples: [`${EXAMPLE_ID} --organization ${EXAMPLE_ID} --reason "analysis fails on its rows, ticket 4711"`],
  async run({ scan, call }, given, scanId = '') {
    const organizationId = given['organization'] ?? '';
    const answer = await scan.abandonScan({ organizationId, scanId, reason: given['reason'] ?? '' }, call);
    const { alreadyAbandoned, rowsGivenBack, reason } = answer;
    const abandonedAt = answer.abandonedTime?.toISOString() ?? null;
    return {
      json: { scanId, organizationId, status: 'FAILED', abandonedAt, reason, rowsGivenBack, alreadyAbandoned },
      sentence: alreadyAbandoned
        ? `The scan was already abandoned at ${abandonedAt}. Nothing was changed.`
        : 'The scan was abandoned.',
      values: { Status: 'FAILED', Reason: reason, 'Rows returned to the quota': String(rowsGivenBack) },
      note: 'Its external ids can be used again: its sender may send the rows again with a new Idempotency-Key.',
    };
  },
};
