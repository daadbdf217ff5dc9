/** Reports when a database that responses depend on stops responding, so that no call waits for it. */
export interface SilenceWatch {
  isSilent(): boolean;
  /**
   * Calls a function once, as soon as the database is silent.
   * @returns a function that cancels the wait
   */
  whenSilent(tell: () => void): () => void;
}
