/** Makes sure that the downloads of an organization's payment runs happen one after another. */
export interface DownloadTurns {
  /**
   * Waits until no other payment run download of the organization is in progress, and then runs the work of this
   * download. Two payment runs may pay the same bill. Each download must see which payments the earlier downloads gave
   * out, because otherwise two downloads could give the same payment to the bank.
   * @param work gets a function that must be called just before the work commits
   * @throws DomainError in_progress if another download takes too long, or has taken over because this download took
   * too long
   */
  within<T>(organizationId: string, work: (requireTurn: () => Promise<void>) => Promise<T>): Promise<T>;
}
