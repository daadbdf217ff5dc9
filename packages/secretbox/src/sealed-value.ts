/** A secret in its stored form, sealed with a key of SECRETBOX_KEYS. */
export interface SealedValue {
  readonly sealed: string;
  /** Id of the key. Key rotation finds values by it. */
  readonly keyId: string;
}
