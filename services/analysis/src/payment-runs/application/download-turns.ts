/** Makes sure that the downloads of an organization's payment runs happen one after another. */
export interface DownloadTurns {
  /**
   * Waits until no other payment run of the organization is being downloaded, and then does the work of the download.
   * Two payment runs may pay the same bill. A download must see which payments earlier downloads gave out, or both
   * would give the payment to the bank.
   * @param work gets a function that must be called just before the work commits
   * @throws DomainError in_progress if another download takes too long, or has taken over because this download took
   * too long
   */
  within<T>(organizationId: string, work: (requireTurn: () => Promise<void>) => Promise<T>): Promise<T>;
}
