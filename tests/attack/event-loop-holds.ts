// Measures how long one request without an API key blocks all other requests of the gateway.
import type { Socket } from 'node:net';
import type { AttackedSystem } from './attacked-system.js';
import type { HostileRequest } from './hostile-requests.js';
import { open, statusOf, write } from './wire.js';

/** Default maximum time in milliseconds for which a hostile request may block the event loop. */
export const HOLD_MS_MAX = 10;
/**
 * Number of measurements of each hostile request. Only the shortest one counts, because garbage collection and
 * compilation lengthen some measurements.
 */
const MEASUREMENTS = 5;
const CLOSE_MS_MAX = 10_000;

export interface Hold {
  readonly status: number;
  readonly holdMs: number;
}

/** Sends the hostile request alone, each time from another address, so that earlier requests do not cause a refusal. */
export async function measureHold(system: AttackedSystem, request: HostileRequest): Promise<Hold> {
  let status = 0;
  const holds: number[] = [];
  for (let count = 0; count < MEASUREMENTS; count += 1) {
    const longestMs = await system.longestHoldMs(async () => {
      status = await answerTo(system, request);
    });
    holds.push(longestMs);
  }
  return { status, holdMs: Math.min(...holds) };
}

let addresses = 0;

function nextAddress(): string {
  addresses += 1;
  return `127.1.${Math.floor(addresses / 250)}.${1 + (addresses % 250)}`;
}

async function answerTo({ port }: AttackedSystem, { bytes }: HostileRequest): Promise<number> {
  const socket = await open(port, nextAddress());
  const status = statusOf(socket);
  const closed = closeOf(socket);
  await write(socket, [Buffer.from(bytes, 'latin1')]);
  const answered = await status;
  await closed;
  return answered;
}

/**
 * Resolves when the connection of the hostile request ends, which is after all work that the request causes in the
 * gateway.
 */
function closeOf(socket: Socket): Promise<void> {
  socket.setTimeout(CLOSE_MS_MAX, () => socket.destroy());
  return new Promise((resolve) => {
    socket.once('close', () => resolve());
  });
}
