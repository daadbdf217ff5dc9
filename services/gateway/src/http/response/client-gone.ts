/** Error that is thrown when the caller disconnected before the request was complete. */
export class ClientGone extends Error {
  constructor() {
    super('The caller disconnected before the request was complete.');
    this.name = 'ClientGone';
  }
}
