import { reportGauges } from '@invoicecontrol/runtime/telemetry';

/** Reports deletions that are not finished, and which keys seal secrets. */
export function reportConnections({
  unfinishedDeletions,
  secretsOfKey,
  unopenable,
  keyIds,
}: {
  unfinishedDeletions: () => Promise<number>;
  /** Connections with a secret that this key seals. */
  secretsOfKey: (keyId: string) => Promise<number>;
  /** Connections with a secret under a key that this process lacks. */
  unopenable: () => Promise<number>;
  keyIds: readonly string[];
}): () => void {
  const closeConnections = reportGauges(
    {
      'erp.unfinished_deletions': {
        unit: '{connection}',
        description: 'Deleted connections whose vendors still count as a master.',
      },
      'erp.unopenable_connections': {
        unit: '{connection}',
        description: 'Connections with a secret under a key that this process lacks.',
      },
    },
    async () => [
      {
        attributes: {},
        values: {
          'erp.unfinished_deletions': await unfinishedDeletions(),
          'erp.unopenable_connections': await unopenable(),
        },
      },
    ],
  );
  const closeSecrets = reportGauges(
    { 'erp.sealed_connections': { unit: '{connection}', description: 'Connections with a secret under the key.' } },
    () =>
      Promise.all(
        keyIds.map(async (keyId) => ({
          attributes: { key_id: keyId },
          values: { 'erp.sealed_connections': await secretsOfKey(keyId) },
        })),
      ),
  );
  return () => {
    closeConnections();
    closeSecrets();
  };
}
