import type { Socket } from 'node:net';
import { DomainError } from '@invoicecontrol/errors';
import { ClientGone } from '../response/client-gone.js';
import { addressGroup } from '../limits/client-address.js';

/** Checks of unknown keys that one address may have running. */
export const CHECKS_AT_ONCE_MAX = 4;
/**
 * Requests of all addresses that may wait behind another one of their own connection. The first of a connection always may,
 * so no more wait than these and one for each connection.
 */
export const CHECKS_PIPELINED_MAX = 1_000;

interface Waiting {
  readonly go: () => void;
  readonly fail: (error: Error) => void;
}

/** A connection that waits, with its requests in their order. */
interface Turn {
  readonly requests: Waiting[];
  /** Ends watching for the end of the connection. */
  readonly forget: () => void;
}

interface Line {
  running: number;
  /** The connection whose turn is next comes first. */
  readonly turns: Map<Socket, Turn>;
}

/**
 * Makes requests of an address with unknown keys wait for each other, its connections in turn: guessing keys costs the
 * organization service little, and a good key waits for one guess of each other connection, never to be refused for them.
 */
export class CheckLine {
  readonly #lines = new Map<string, Line>();
  #pipelined = 0;

  /**
   * Waits for the turn of the connection.
   * @returns to be called once, when the check is done
   * @throws ClientGone when the connection ends first, DomainError `unavailable` when it waits already and too many do
   */
  async enter(address: string, socket: Socket): Promise<() => void> {
    if (socket.destroyed) throw new ClientGone();
    const group = addressGroup(address);
    const line = this.#lines.get(group) ?? { running: 0, turns: new Map<Socket, Turn>() };
    this.#lines.set(group, line);
    if (line.running < CHECKS_AT_ONCE_MAX) line.running += 1;
    // A request that is done hands over its place.
    else await this.#wait(line, socket);
    return () => this.#leave(group, line);
  }

  #wait(line: Line, socket: Socket): Promise<void> {
    const waiting = line.turns.get(socket);
    if (waiting !== undefined) {
      if (this.#pipelined >= CHECKS_PIPELINED_MAX) return Promise.reject(tooManyPipelined());
      this.#pipelined += 1;
    }
    const { requests } = waiting ?? this.#addTurn(line, socket);
    return new Promise((go, fail) => requests.push({ go, fail }));
  }

  #addTurn(line: Line, socket: Socket): Turn {
    const dismiss = (): void => {
      line.turns.delete(socket);
      this.#pipelined -= turn.requests.length - 1;
      for (const { fail } of turn.requests) fail(new ClientGone());
    };
    const turn: Turn = { requests: [], forget: () => void socket.off('close', dismiss) };
    socket.once('close', dismiss);
    line.turns.set(socket, turn);
    return turn;
  }

  #leave(group: string, line: Line): void {
    const [next] = line.turns;
    if (next === undefined) {
      line.running -= 1;
      if (line.running === 0) this.#lines.delete(group);
      return;
    }
    const [socket, turn] = next;
    const request = turn.requests.shift();
    line.turns.delete(socket);
    if (turn.requests.length === 0) {
      turn.forget();
    } else {
      // Behind all others.
      this.#pipelined -= 1;
      line.turns.set(socket, turn);
    }
    request?.go();
  }
}

function tooManyPipelined(): DomainError {
  return new DomainError(
    'unavailable',
    'Too many requests are waiting until their API keys are checked. Wait for a response on this connection, then retry this request.',
  );
}
