import type { Socket } from 'node:net';
import { DomainError } from '@invoicecontrol/errors';
import { ClientGone } from '../response/client-gone.js';
import { addressGroup } from '../limits/client-address.js';

/** Maximum number of concurrent checks of unknown API keys from one address. */
export const CHECKS_AT_ONCE_MAX = 4;
/**
 * Maximum number of requests in this process that wait for the check of an API key and are not the first waiting
 * request of their connection. The first one may always wait.
 */
export const CHECKS_PIPELINED_MAX = 1_000;

interface Waiting {
  readonly go: () => void;
  readonly fail: (error: Error) => void;
}

/** A connection that waits for the check of an API key, with its requests in their order of arrival. */
interface Turn {
  readonly requests: Waiting[];
  /** Ends the listener that notices when the connection closes while its API key waits for the check. */
  readonly forget: () => void;
}

interface Line {
  running: number;
  /** Connections that wait until an unknown API key is checked, in the order in which they are served. */
  readonly turns: Map<Socket, Turn>;
}

/**
 * Makes requests with unknown API keys from one address wait for each other, and serves the connections of the address
 * alternately. Guessing keys therefore costs the organization service little. A request with a valid key is not
 * refused, and it waits for at most one guess on each other connection.
 */
export class CheckLine {
  readonly #lines = new Map<string, Line>();
  #pipelined = 0;

  /**
   * Waits until the unknown API key of a request may be checked.
   * @returns a function to call once when the check is complete
   * @throws ClientGone if the client disconnects first; DomainError `unavailable` if the connection already has a
   *   waiting request and too many such additional requests are waiting
   */
  async enter(address: string, socket: Socket): Promise<() => void> {
    if (socket.destroyed) throw new ClientGone();
    const group = addressGroup(address);
    const line = this.#lines.get(group) ?? { running: 0, turns: new Map<Socket, Turn>() };
    this.#lines.set(group, line);
    if (line.running < CHECKS_AT_ONCE_MAX) line.running += 1;
    // When the check of an API key is complete, the next connection may check its key.
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
      // After one of its requests was served, a connection goes to the end of the queue for key checks.
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
