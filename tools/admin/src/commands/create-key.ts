import { EXAMPLE_ID, KEY_NOTE, organizationOption, roleOption, UsageError } from '../command.js';
import type { Command } from '../command.js';

export const createKey: Command = {
  name: 'create-key',
  summary: 'create an API key of any role',
  service: 'organization',
  options: {
    organization: organizationOption,
    role: roleOption,
    user: { value: 'ID', description: 'the active member that the key belongs to (default: none)' },
    name: { value: 'NAME', description: 'what the key is for (default "Operator key")' },
    scopes: { value: 'A,B', description: 'the scopes of the key (default: those of the role)' },
    expires: { value: 'TIME', description: 'expiry time, such as 2027-01-31T00:00:00Z (default: never)' },
  },
  examples: [
    `--organization ${EXAMPLE_ID} --role ANALYST`,
    `--organization ${EXAMPLE_ID} --role ADMIN --name Export --expires 2027-01-31T00:00:00Z --json`,
  ],
  async run({ organization, call }, given) {
    const { apiKeyId, key } = await organization.createKey(
      {
        organizationId: given['organization'] ?? '',
        name: given['name'] ?? 'Operator key',
        role: given['role'] ?? '',
        scopes: given['scopes']?.split(',').map((scope) => scope.trim()) ?? [],
        expiresTime: readTime(given['expires']),
        userId: given['user'],
      },
      call,
    );
    return {
      json: { apiKeyId, key },
      sentence: 'The API key was created.',
      values: { Id: apiKeyId, Key: key },
      note: KEY_NOTE,
    };
  },
};

function readTime(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  if (!/^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/.test(text) || Number.isNaN(time.getTime())) {
    throw new UsageError('--expires must be a time with a time zone, such as 2027-01-31T00:00:00Z.');
  }
  return time;
}
