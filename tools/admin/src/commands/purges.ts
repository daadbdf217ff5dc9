import { askEach } from '../ask-each.js';
import { EXAMPLE_ID, organizationOption, UsageError } from '../command.js';
import type { Command } from '../command.js';
import { counted } from '../text-output.js';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const purgeOrganizations: Command = {
  name: 'purge-organizations',
  summary: 'start removing all data of each deleted organization whose retention has ended',
  service: 'organization',
  options: {},
  examples: ['', '--json'],
  async run({ organization, call, report }) {
    const purged: { organizationId: string }[] = [];
    for (let hasMore = true; hasMore;) {
      const begun = await organization.purgeOrganizations({}, call);
      purged.push(...begun.organizationIds.map((organizationId) => ({ organizationId })));
      // No purge began although more organizations wait to be purged, because another process is running the same
      // command.
      hasMore = begun.hasMore && begun.organizationIds.length > 0;
      report(`${counted(purged.length, 'organization')}`);
    }
    return {
      json: { purged },
      sentence:
        purged.length === 0
          ? 'There is no deleted organization whose retention has ended.'
          : `The purge of ${counted(purged.length, 'organization')} has begun and cannot be undone.`,
      ...(purged.length === 0
        ? {}
        : {
            table: { columns: ['ORGANIZATION'], rows: purged.map(({ organizationId }) => [organizationId]) },
            note: 'verify-purge shows what is left of each.',
          }),
    };
  },
};

export const verifyPurge: Command = {
  name: 'verify-purge',
  summary:
    'count the documents that the databases still have of an organization, without the audit trail, which is kept longer',
  service: 'every',
  options: { organization: organizationOption },
  examples: [`--organization ${EXAMPLE_ID}`, `--organization ${EXAMPLE_ID} --json`],
  async run(operator, given) {
    const organizationId = (given['organization'] ?? '').toLowerCase();
    // No data is stored under a misspelt organization id, so the result would wrongly prove a deletion.
    if (!UUID.test(organizationId)) throw new UsageError('--organization must be the id of an organization, a UUID.');
    const { answers, failures } = await askEach(operator, (rpc) =>
      rpc.countTenantDocuments({ organizationId }, operator.call),
    );
    const remaining = Object.fromEntries(
      answers.map(({ service, answer }) => [
        service,
        answer.collections.reduce((sum, { documents }) => sum + documents, 0),
      ]),
    );
    const left = Object.values(remaining).reduce((sum, documents) => sum + documents, 0);
    // A service that did not respond may still store data of the organization.
    const purged = left === 0 && failures.length === 0;
    return {
      json: { organizationId, purged, remaining },
      failures,
      sentence: purged
        ? 'All data of the organization was removed.'
        : `${counted(left, 'document')} of the organization ${left === 1 ? 'is' : 'are'} left.`,
      table: {
        columns: ['SERVICE', 'COLLECTION', 'DOCUMENTS'],
        rows: answers.flatMap(({ service, answer }) =>
          answer.collections
            .filter(({ documents }) => documents > 0)
            .map(({ collection, documents }) => [service, collection, String(documents)]),
        ),
      },
    };
  },
};
