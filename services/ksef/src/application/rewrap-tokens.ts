import type { Logger } from '@invoicecontrol/runtime/logger';
import type { KeyRing } from '@invoicecontrol/secretbox/key-ring';
import type { TokenSecrets } from './connections/secrets.js';
import type { SealedTokens } from './connections/stores.js';

const REWRAPPED_AT_ONCE = 100;

/**
 * Wraps tokens that an older key has sealed with the newest one, and says when none is left: then the older key may leave
 * the ring. Says as well when another replica seals with a key that this one lacks.
 */
export const rewrapTokens = ({
  tokens,
  secrets,
  ring,
  forgetKey,
  logger,
}: {
  tokens: SealedTokens;
  secrets: Pick<TokenSecrets, 'rewrap'>;
  ring: KeyRing;
  /** Removes the canary of a key that seals nothing any more. */
  forgetKey: (keyId: string) => Promise<void>;
  logger: Logger;
}): (() => Promise<void>) => {
  const [, ...older] = ring;
  const lastLeft = new Map<string, number>();
  let lastUnopenable = 0;
  return async () => {
    const unopenable = await tokens.countSealedWithOthers(ring.map(({ id }) => id));
    if (unopenable > 0 && unopenable !== lastUnopenable) {
      logger.error(
        { connections: unopenable },
        'tokens of connections are sealed with a key that SECRETBOX_KEYS lacks',
      );
    }
    lastUnopenable = unopenable;
    for (const { id: keyId } of older) {
      for (const { id, organizationId, token } of await tokens.sealedWith(keyId, REWRAPPED_AT_ONCE)) {
        await tokens.replaceSealed(id, token, secrets.rewrap({ id, organizationId }, token));
      }
      const left = await tokens.countSealedWith(keyId);
      // Counted again and again: a replica that has not got the newer key yet seals with the older one.
      if (left === lastLeft.get(keyId)) continue;
      lastLeft.set(keyId, left);
      logger.info({ keyId, left }, 'connections whose tokens an older key has sealed');
      if (left === 0) await forgetKey(keyId);
    }
  };
};
