import { namedKeys } from '@invoicecontrol/runtime/config';
import type { NamedKey } from '@invoicecontrol/runtime/config';

const KEY_BYTES = 32;

export type SealingKey = NamedKey;

/** The sealing keys of a service. The first key seals new values, and every key opens the values that it has sealed. */
export type KeyRing = readonly [SealingKey, ...SealingKey[]];

/**
 * The setting `SECRETBOX_KEYS` of the form `id:base64,...`, with unique ids and keys of 32 bytes. The newest key comes
 * first. An older key must stay until no value is sealed with it.
 */
export const keyRing = namedKeys({ bytesMin: KEY_BYTES, bytesMax: KEY_BYTES });
