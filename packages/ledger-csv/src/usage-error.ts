/**
 * Error for a wrong command line or file of `scan-csv`, after which nothing was sent. The message states what to
 * change.
 */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
