import { connect } from 'node:net';
import type { Socket } from 'node:net';

/** Address of an attacker. Every address in 127.0.0.0/8 is this machine. */
export const ATTACKER = '127.0.0.2';

/**
 * Opens a connection to the gateway. The gateway may close the connection at any time.
 * @param from address of the client
 */
export async function open(port: number, from: string = ATTACKER): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  socket.on('error', () => {});
  await eitherOf(socket, 'connect');
  return socket;
}

/** Waits for an event of the attacker's socket, or for the end of its connection. */
export function eitherOf(socket: Socket, event: 'connect' | 'drain' | 'data'): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      socket.off(event, end).off('close', end);
      resolve();
    };
    socket.on(event, end).on('close', end);
  });
}

/** Returns the headers of an attacker's HTTP request, or a complete request without a body. */
export function head(method: string, path: string, ...lines: string[]): string {
  return `${[`${method} ${path} HTTP/1.1`, 'Host: x', ...lines].join('\r\n')}\r\n\r\n`;
}

/** Writes all bytes of a request as fast as the gateway reads them. Ends early when the connection ends. */
export async function write(socket: Socket, pieces: Iterable<string | Uint8Array>): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed) return;
    if (!socket.write(piece)) await eitherOf(socket, 'drain');
  }
}

/** Returns the HTTP status of the gateway's first response, or 0 if the connection ends without one. */
export function statusOf(socket: Socket): Promise<number> {
  return new Promise((resolve) => {
    let received = '';
    socket.setEncoding('latin1');
    socket.on('data', (text: string) => {
      received += text;
      const status = /^HTTP\/1\.1 ([2-5]\d\d)/.exec(received)?.[1];
      if (status !== undefined) resolve(Number(status));
    });
    socket.once('close', () => resolve(0));
  });
}

/** Returns how often the attacked gateway responded with each HTTP status, such as `2 x 413, 4 x 503`. */
export function tally(statuses: readonly number[]): string {
  const counts = new Map<number, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${count} x ${status === 0 ? 'no answer' : status}`)
    .join(', ');
}
