/** A secret under a key of SECRETBOX_KEYS, as it is stored. */
export interface SealedValue {
  readonly sealed: string;
  /** The key; found by it when keys rotate. */
  readonly keyId: string;
}
