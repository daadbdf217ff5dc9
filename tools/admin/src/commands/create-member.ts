import { EXAMPLE_ID, organizationOption, roleOption } from '../command.js';
import type { Command } from '../command.js';

export const createMember: Command = {
  name: 'create-member',
  summary: 'add an active member to an organization',
  service: 'organization',
  options: {
    organization: organizationOption,
    email: { value: 'EMAIL', description: 'the e-mail address of the member', isRequired: true },
    role: roleOption,
    name: { value: 'NAME', description: 'the name of the member' },
  },
  examples: [`--organization ${EXAMPLE_ID} --email ann@acme.example --role ANALYST --name Ann`],
  async run({ organization, call }, given) {
    const { userId } = await organization.createMember(
      {
        organizationId: given['organization'] ?? '',
        email: given['email'] ?? '',
        role: given['role'] ?? '',
        name: given['name'] ?? '',
      },
      call,
    );
    return { json: { userId }, sentence: 'The member was added.', values: { 'User id': userId } };
  },
};
