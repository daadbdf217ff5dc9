/** Tells when a store that responses depend on no longer responds, so that nobody waits for it. */
export interface SilenceWatch {
  isSilent(): boolean;
  /** Calls once, as soon as it is silent. @returns ends the wait */
  whenSilent(tell: () => void): () => void;
}
