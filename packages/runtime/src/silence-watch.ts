/** Tells when a store that answers need has fallen silent, so that nobody waits for it. */
export interface SilenceWatch {
  isSilent(): boolean;
  /** Calls once, as soon as it is silent. @returns ends the wait */
  whenSilent(tell: () => void): () => void;
}
