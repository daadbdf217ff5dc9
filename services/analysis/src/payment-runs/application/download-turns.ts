/** Lets the payment run downloads of an organization run one after another. */
export interface DownloadTurns {
  /**
   * Waits until no other payment run download of the organization runs, and does the work. Two runs may have the
   * payment of one bill. Each download must see what the one before it gave out, or both would give the payment to the
   * bank.
   * @param work gets a function that must be called just before the work commits
   * @throws DomainError in_progress if another download takes too long, or took over because this one did
   */
  within<T>(organizationId: string, work: (requireTurn: () => Promise<void>) => Promise<T>): Promise<T>;
}
