/** Reports that the command line or the file is wrong and that nothing was sent. The message says what to change. */
export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}
