import { readFileSync } from 'node:fs';
import type { Identity } from '@invoicecontrol/runtime/identity/identity';
import type { NamedIndex } from '@invoicecontrol/runtime/mongo/ensure-indexes';
import { migrateIndexes } from '@invoicecontrol/runtime/mongo/migrate-indexes';
import { operatedServices, UsageError } from '../command.js';
import type { OperatedService, Outcome, StandaloneCommand } from '../command.js';
import { openOperatorIdentity } from '../connection.js';

/** The indexes of each service by collection, as its database has them after a start (`tools/admin/indexes.json`). */
type DeclaredIndexes = Readonly<Record<OperatedService, Readonly<Record<string, readonly NamedIndex[]>>>>;

export const migrate: StandaloneCommand = {
  name: 'migrate',
  summary: 'build the indexes that the services of this release need; run it before their rollout',
  options: {
    service: { value: 'NAME', description: `only one of ${operatedServices.join(', ')} (default: all)` },
  },
  examples: ['', '--service analysis'],
  async *runAlone({ service }, env, report) {
    if (service !== undefined && !operatedServices.some((name) => name === service))
      throw new UsageError(`--service must be one of ${operatedServices.join(', ')}.`);
    const text = readFileSync(new URL('../../indexes.json', import.meta.url), 'utf8');
    const declared = JSON.parse(text) as DeclaredIndexes;
    // The client certificate is needed only if the database identifies its users by certificates.
    const identity = env['TLS_DIR'] ? openOperatorIdentity(env['TLS_DIR'], env) : undefined;
    try {
      for (const name of operatedServices) {
        if (service !== undefined && service !== name) continue;
        yield await migrateService(name, { declared: declared[name], identity, env, report });
      }
    } finally {
      identity?.close();
    }
  },
};

interface Migration {
  readonly declared: DeclaredIndexes[OperatedService];
  readonly identity: Identity | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly report: (progress: string) => void;
}

async function migrateService(
  service: OperatedService,
  { declared, identity, env, report }: Migration,
): Promise<Outcome> {
  const databaseName = `${env['DATABASE_PREFIX'] ?? ''}${service.replaceAll('-', '_')}`;
  const variable = `${service.replaceAll('-', '_').toUpperCase()}_MONGODB_URL`;
  const url = env[variable] ?? env['MONGODB_URL'];
  if (url === undefined) throw new UsageError(`Set ${variable}, or MONGODB_URL if all services have one account.`);
  const { built, failures } = await migrateIndexes({ url, databaseName, identity }, declared, (building) =>
    report(`${service}: ${building.length === 0 ? 'comparing indexes' : `building ${building.join(', ')}`}`),
  );
  return {
    json: { service, built, failures },
    failures,
    sentence: built.length === 0 ? `${service}: no index was missing.` : `${service}: built ${built.join(', ')}.`,
  };
}
