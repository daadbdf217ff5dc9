/** A secret in its stored form, sealed with a sealing key of SECRETBOX_KEYS. */
export interface SealedValue {
  readonly sealed: string;
  /** Id of the sealing key that sealed the value. Key rotation finds sealed values by it. */
  readonly keyId: string;
}
