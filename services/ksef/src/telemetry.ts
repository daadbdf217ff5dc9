import { reportGauges } from '@invoicecontrol/runtime/telemetry';

/** Reports which keys seal the tokens of connections. */
export function reportConnections({
  tokensOfKey,
  unopenable,
  keyIds,
}: {
  /** Connections whose token this key seals. */
  tokensOfKey: (keyId: string) => Promise<number>;
  /** Connections with a token under a key that this process lacks. */
  unopenable: () => Promise<number>;
  keyIds: readonly string[];
}): () => void {
  const closeUnopenable = reportGauges(
    {
      'ksef.unopenable_connections': {
        unit: '{connection}',
        description: 'Connections with a token under a key that this process lacks.',
      },
    },
    async () => [{ attributes: {}, values: { 'ksef.unopenable_connections': await unopenable() } }],
  );
  const closeSealed = reportGauges(
    { 'ksef.sealed_connections': { unit: '{connection}', description: 'Connections with a token under the key.' } },
    () =>
      Promise.all(
        keyIds.map(async (keyId) => ({
          attributes: { key_id: keyId },
          values: { 'ksef.sealed_connections': await tokensOfKey(keyId) },
        })),
      ),
  );
  return () => {
    closeUnopenable();
    closeSealed();
  };
}
