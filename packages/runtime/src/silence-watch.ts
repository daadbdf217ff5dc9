/** Reports when the database of a service stops responding, so that no call waits for the database. */
export interface SilenceWatch {
  isSilent(): boolean;
  /**
   * Calls a function once, as soon as the database is silent.
   * @returns a function that cancels the wait
   */
  whenSilent(tell: () => void): () => void;
}
