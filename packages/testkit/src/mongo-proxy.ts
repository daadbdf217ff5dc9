import { Transform } from 'node:stream';
import { startTcpProxy } from './tcp-proxy.js';
import type { TcpProxy } from './tcp-proxy.js';

/** Maximum size of a MongoDB message. */
const MESSAGE_BYTES_MAX = 48_000_000;
const HEADER_BYTES = 16;
const REQUEST_ID_AT = 4;
const RESPONSE_TO_AT = 8;
const OP_CODE_AT = 12;
const OP_MSG = 2013;
/** Commands of the MongoDB driver itself, such as heartbeats and logins. All others come from the program under test. */
const HOUSEKEEPING = /^(hello|isMaster|ismaster|ping|endSessions|buildInfo|getMore|saslStart|saslContinue)\b/;

export interface HoldOptions {
  /** MongoDB command and collection as they are sent, such as `insert invoices` or `findAndModify uploads`. */
  readonly command: string;
  /**
   * Point at which the test proxy holds the MongoDB command back. With `before`, the command never reaches the
   * database. With `after`, the command is executed, but its response never arrives.
   */
  readonly side: 'before' | 'after';
  /**
   * Texts by which the test proxy selects the MongoDB messages that it holds: each of them contains one of the texts.
   * Holding is complete when one message has been held for each text. Without texts, the proxy holds the first message.
   */
  readonly mentioning?: readonly string[];
  /**
   * Number of the first MongoDB message to hold, counted separately for each text (default 1). Later messages are held
   * as well.
   */
  readonly occurrence?: number;
}

/** Holds MongoDB commands back, so that a test can kill their sender at exactly that command. */
export interface Hold {
  /** Resolves when the test proxy holds all expected MongoDB messages. */
  readonly complete: Promise<void>;
  /** Closes the connections of the held messages, so that they are never delivered, and stops holding. */
  drop(): void;
}

/** A proxy that understands MongoDB commands, so that tests can inject failures without code in the product. */
export interface MongoProxy extends TcpProxy {
  /** URL of the test proxy in front of MongoDB, in the same format as the URL of a MongoDB server. */
  readonly url: string;
  /** Starts to hold MongoDB messages in the test proxy. If several holds match a message, the oldest one holds it. */
  hold(options: HoldOptions): Hold;
  /**
   * Returns every MongoDB command that has passed the test proxy, each once, such as `insert invoices` or `update
   * relay`.
   */
  commandNames(): readonly string[];
}

interface Trap extends HoldOptions {
  readonly awaited: Set<string>;
  /** Number of database commands that reached the proxy so far, by command and collection. */
  readonly came: Map<string, number>;
  readonly cuts: Set<() => void>;
  complete(): void;
}

/**
 * Starts a proxy in front of a MongoDB server.
 * @param serverUrl a MongoDB URL with one host, such as `mongodb://127.0.0.1:27017/?directConnection=true`
 */
export async function startMongoProxy(serverUrl: string): Promise<MongoProxy> {
  const server = new URL(serverUrl);
  const seen = new Set<string>();
  const traps = new Set<Trap>();

  const proxy = await startTcpProxy({
    serverHost: server.hostname,
    serverPort: Number(server.port),
    tap: (cut) => {
      /** Database requests whose response will be held back, by request id. */
      const answersHeld = new Map<number, { trap: Trap; request: Buffer }>();
      return {
        toServer: messageStream(async (message) => {
          const name = commandName(message);
          if (name !== undefined && !HOUSEKEEPING.test(name)) seen.add(name);
          const trap = [...traps].find((one) => isWanted(one, name, message));
          if (trap === undefined) return;
          if (trap.side === 'before') await keep(trap, message, cut);
          else answersHeld.set(message.readInt32LE(REQUEST_ID_AT), { trap, request: message });
        }),
        toClient: messageStream(async (reply) => {
          const held = answersHeld.get(reply.readInt32LE(RESPONSE_TO_AT));
          if (held !== undefined && traps.has(held.trap)) await keep(held.trap, held.request, cut);
        }),
      };
    },
  });

  const address = new URL(serverUrl);
  address.host = `127.0.0.1:${proxy.port}`;
  // Without this option, the MongoDB driver would connect to the members of the replica set directly and bypass the
  // proxy.
  address.searchParams.set('directConnection', 'true');
  return {
    ...proxy,
    url: address.href,
    commandNames: () => [...seen].toSorted(),
    hold(options) {
      let complete = (): void => {};
      const whenComplete = new Promise<void>((resolve) => {
        complete = resolve;
      });
      const cuts = new Set<() => void>();
      const trap = { ...options, awaited: new Set(options.mentioning), came: new Map(), cuts, complete };
      traps.add(trap);
      return {
        complete: whenComplete,
        drop() {
          traps.delete(trap);
          for (const cut of cuts) cut();
        },
      };
    },
  };
}

function isWanted(trap: Trap, name: string | undefined, message: Buffer): boolean {
  const { command, mentioning = [''], occurrence = 1, came } = trap;
  if (name !== command) return false;
  const text = mentioning.find((one) => message.includes(one));
  if (text === undefined) return false;
  const count = (came.get(text) ?? 0) + 1;
  came.set(text, count);
  return count >= occurrence;
}

/** Holds the MongoDB message back until `cut` ends the connection. */
function keep(trap: Trap, message: Buffer, cut: () => void): Promise<never> {
  trap.cuts.add(cut);
  for (const text of trap.awaited) if (message.includes(text)) trap.awaited.delete(text);
  if (trap.awaited.size === 0) trap.complete();
  return new Promise<never>(() => {});
}

/** Creates a stream that passes on complete MongoDB messages, each after `inspect` has resolved. */
function messageStream(inspect: (message: Buffer) => Promise<void>): Transform {
  let waiting: Buffer = Buffer.alloc(0);
  const stream: Transform = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
      const pass = async (): Promise<void> => {
        while (waiting.length >= HEADER_BYTES) {
          const length = waiting.readInt32LE(0);
          if (length < HEADER_BYTES || length > MESSAGE_BYTES_MAX) throw new Error(`a message of ${length} bytes`);
          if (waiting.length < length) return;
          const message = waiting.subarray(0, length);
          waiting = waiting.subarray(length);
          await inspect(message);
          stream.push(message);
        }
      };
      pass().then(() => done(), done);
    },
  });
  return stream;
}

/**
 * Returns the MongoDB command in an OP_MSG message: the name of the first field in its body and, if the value of this
 * field is a text, that text as the collection.
 */
function commandName(message: Buffer): string | undefined {
  if (message.readInt32LE(OP_CODE_AT) !== OP_MSG) return undefined;
  let at = HEADER_BYTES + 4;
  // Sections of kind 1 in a MongoDB message contain lists of documents, and the section of kind 0 is the body.
  while (at < message.length && message[at] === 1) at += 1 + message.readInt32LE(at + 1);
  const type = message[at + 5];
  const nameAt = at + 6;
  const nameEnd = message.indexOf(0, nameAt);
  const name = message.toString('utf8', nameAt, nameEnd);
  if (type !== 2) return name;
  const length = message.readInt32LE(nameEnd + 1);
  return `${name} ${message.toString('utf8', nameEnd + 5, nameEnd + 4 + length)}`;
}
