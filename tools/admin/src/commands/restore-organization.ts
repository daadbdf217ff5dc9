import { EXAMPLE_ID, KEY_NOTE, organizationOption } from '../command.js';
import type { Command } from '../command.js';

export const restoreOrganization: Command = {
  name: 'restore-organization',
  summary: 'restore a deleted organization before its retention ends; its old keys stay revoked',
  service: 'organization',
  options: { organization: organizationOption },
  examples: [`--organization ${EXAMPLE_ID}`],
  async run({ organization, call }, given) {
    const organizationId = given['organization'] ?? '';
    const { ownerKey } = await organization.undeleteOrganization({ organizationId }, call);
    if (ownerKey === '') {
      return {
        json: { organizationId, ownerKey: null },
        sentence: 'The organization is not deleted; nothing was changed.',
      };
    }
    return {
      json: { organizationId, ownerKey },
      sentence: 'The organization was restored.',
      values: { Organization: organizationId, "Owner's new key": ownerKey },
      note: KEY_NOTE,
    };
  },
};
