import { namedKeys } from '@invoicecontrol/runtime/config';
import type { NamedKey } from '@invoicecontrol/runtime/config';

const KEY_BYTES = 32;

export type SealingKey = NamedKey;

/** A ring of keys: the first key seals; every key opens what it has sealed. */
export type KeyRing = readonly [SealingKey, ...SealingKey[]];

/**
 * The setting `SECRETBOX_KEYS`: `id:base64,...`, each id once, each key of 32 bytes. The newest key comes first; an older
 * one stays until nothing is sealed with it.
 */
export const keyRing = namedKeys({ bytesMin: KEY_BYTES, bytesMax: KEY_BYTES });
