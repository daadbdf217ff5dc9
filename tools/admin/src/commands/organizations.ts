import { counted } from '../text-output.js';
import { readCount } from '../command.js';
import type { Command } from '../command.js';

const LIMIT_MAX = 100;

export const organizations: Command = {
  name: 'organizations',
  summary: 'list the organizations of the installation, newest first, deleted ones included',
  service: 'organization',
  options: {
    limit: { value: 'N', description: `maximum number of organizations, 1 to ${LIMIT_MAX} (default 50)` },
    after: { value: 'CURSOR', description: 'the cursor that the previous page printed' },
  },
  examples: ['', '--limit 100', '--limit 100 --json'],
  async run({ organization, call }, given) {
    const { organizations: found, nextPageToken } = await organization.listOrganizations(
      {
        pageSize: readCount('limit', given['limit'], { default: 50, max: LIMIT_MAX }),
        pageToken: given['after'] ?? '',
      },
      call,
    );
    const items = found.map((one) => ({
      organizationId: one.organizationId,
      name: one.name,
      plan: one.plan,
      subscriptionStatus: one.subscriptionStatus,
      state: one.deletedTime === undefined ? 'ACTIVE' : 'DELETED',
      createdAt: one.createdTime?.toISOString() ?? null,
      deletedAt: one.deletedTime?.toISOString() ?? null,
      members: one.members,
      companies: one.companies,
    }));
    return {
      json: { items, nextCursor: nextPageToken === '' ? null : nextPageToken },
      sentence:
        items.length === 0
          ? 'There are no organizations.'
          : `Found ${counted(items.length, 'organization')}, newest first.`,
      table: {
        columns: ['ID', 'NAME', 'PLAN', 'SUBSCRIPTION', 'STATE', 'CREATED', 'MEMBERS', 'COMPANIES'],
        rows: items.map((one) => [
          one.organizationId,
          one.name,
          one.plan,
          one.subscriptionStatus,
          one.state,
          one.createdAt?.slice(0, 10) ?? '',
          String(one.members),
          String(one.companies),
        ]),
      },
      ...(nextPageToken === '' ? {} : { note: `There are more. To continue: --after ${nextPageToken}` }),
    };
  },
};
