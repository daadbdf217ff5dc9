import { constants, getPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from 'vitest';
import type { RenderingOutcome } from '@invoicecontrol/extraction/rendering/rendering';
import { createLogger } from '@invoicecontrol/runtime/logger';
import { deathByTime } from './child-process.js';
import { confines } from './confinement.js';
import { eventually } from '@invoicecontrol/testkit/eventually';
import type { Extraction } from '../application/extract-document.js';
import { XML_ONLY } from './messages.js';
import {
  DOCUMENTS_PER_CHILD_MAX,
  extractionPool,
  QUICK_BYTES_MAX,
  WAITING_MAX,
  WAITING_OF_ORGANIZATION_MAX,
} from './pool.js';
import type { ExtractionPool } from './pool.js';

const program = fileURLToPath(new URL('../../dist/testing/instructed-child.js', import.meta.url));
const MIB = 1024 * 1024;
const task = { mediaType: 'application/xml', mode: 'OFF', companies: [] } as const;
/** Time in milliseconds that is sufficient to start a child twice on a busy machine. */
const TEST_MS_MAX = 60_000;

const logger = createLogger({ service: 'test', level: 'silent' });
const isConfined = await confines('WHERE_POSSIBLE', logger);

const pools: ExtractionPool[] = [];
afterEach(() => {
  for (const pool of pools.splice(0)) pool.close();
});

function open({ children = 1, timeMs = 30_000, recognitionMs = 30_000, memoryBytes = 400 * MIB } = {}): ExtractionPool {
  const limits = { timeMs, recognitionMs, memoryBytes };
  const pool = extractionPool({ children, limits, rulesDir: undefined, isConfined, logger, program });
  pools.push(pool);
  return pool;
}

async function* once(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}

/** Reads a slow document, which is too large for the child for quick documents. */
const read = (pool: ExtractionPool, text: string, organizationId = 'first', byteSize = QUICK_BYTES_MAX + 1) =>
  pool.read({ organizationId, task, byteSize, bytes: () => once(text) });
const readQuickly = (pool: ExtractionPool, text: string, organizationId = 'first') =>
  read(pool, text, organizationId, QUICK_BYTES_MAX);

/**
 * Renders a document in the pool.
 * @returns the drawing, or the reason of the failure
 */
const render = (pool: ExtractionPool, text: string, store = drawnOf): Promise<string> =>
  pool.render(
    {
      organizationId: 'first',
      byteSize: 1,
      task: { mediaType: 'application/pdf', target: { kind: 'PAGE', page: 1, width: 1 } },
      bytes: () => once(text),
    },
    store,
  );
const view = (pool: ExtractionPool, text: string, byteSize: number): Promise<string> => {
  const shown = { mediaType: 'application/xml', target: { kind: 'VIEW' } } as const;
  return pool.render({ organizationId: 'first', byteSize, task: shown, bytes: () => once(text) }, drawnOf);
};

async function drawnOf(outcome: RenderingOutcome): Promise<string> {
  if ('rendering' in outcome) return Buffer.from(outcome.rendering.content).toString();
  return 'failure' in outcome ? outcome.failure.reason : outcome.missing;
}

/** Returns the process id of the child process that responded. */
async function pidOf(extraction: Promise<Extraction>): Promise<number> {
  return Number((await messageOf(extraction)).split(':')[0]);
}

async function messageOf(extraction: Promise<Extraction>): Promise<string> {
  const { outcome } = await extraction;
  return 'failure' in outcome ? outcome.failure.message : '';
}

const timedOut = {
  outcome: { failure: { reason: 'TIMED_OUT', message: expect.stringContaining('within 1 s') } },
  validation: null,
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const describeFa3 = (pool: ExtractionPool, text: string) =>
  pool.describeFa3({ organizationId: 'first', byteSize: QUICK_BYTES_MAX + 1, bytes: () => once(text) });
const checkConfirmation = (pool: ExtractionPool, text: string) =>
  pool.checkConfirmation({
    organizationId: 'first',
    xml: Buffer.from(text),
    confirmed: { ksefNumber: 'number', sha256: 'hash' },
    trust: { trusted: [], now: new Date() },
  });

describe('an FA(3) document and a confirmation', () => {
  test('are read by children', async () => {
    const pool = open();
    expect((await describeFa3(pool, 'text')).number).toMatch(/^\d+: text$/);
    expect(await checkConfirmation(pool, 'text')).toEqual({ fault: expect.stringMatching(/^\d+: text$/) });
  });

  test(
    'that take too long or too much are refused, with the limit, and the pool reads on',
    async () => {
      const pool = open({ timeMs: 1_000 });
      const kindOf = (reading: Promise<object>) => reading.catch(({ kind }: { kind: string }) => kind);
      // On a busy machine a child may hardly have had a processor, which proves nothing about the document.
      expect(['unprocessable', 'unavailable']).toContain(await kindOf(describeFa3(pool, 'spin')));
      expect(['unprocessable', 'unavailable']).toContain(await kindOf(checkConfirmation(pool, 'spin')));
      const small = open({ memoryBytes: 150 * MIB });
      await expect(checkConfirmation(small, 'hold')).rejects.toMatchObject({
        kind: 'unprocessable',
        message: expect.stringContaining('more than 150 MiB of memory'),
      });
      await expect(describeFa3(pool, 'crash')).rejects.toMatchObject({
        kind: 'unprocessable',
        message: expect.stringContaining('The program that reads documents crashed on this document'),
      });
      expect((await describeFa3(pool, 'text')).number).toMatch(/: text$/);
    },
    TEST_MS_MAX,
  );
});

describe('a pool of extraction children', () => {
  test('gives each document to a child and its bytes in order', async () => {
    const pool = open();
    async function* inPieces(): AsyncIterable<Uint8Array> {
      for (const piece of ['one', ' ', 'two']) yield Buffer.from(piece);
    }
    const answer = await messageOf(pool.read({ organizationId: 'first', task, byteSize: 1, bytes: inPieces }));
    expect(answer).toMatch(/: one two$/);
    expect(pool.pids()).toContain(Number(answer.split(':')[0]));
  });

  test('keeps its environment from them, and is named in their command line', async () => {
    const { env, argv } = JSON.parse(await messageOf(read(open(), 'env'))) as { env: string[]; argv: string[] };
    expect(env.filter((name) => !/^(NODE_CHANNEL_|NODE_UNIQUE_ID|HOME$)/.test(name))).toEqual([]);
    expect(argv.join(' ')).toContain('documents');
  });

  test('tells the child that reads small XML alone that it needs no library for other documents', async () => {
    const pool = open();
    await eventually(() => expect(pool.pids()).toHaveLength(2));
    const argvOf = async (extraction: Promise<Extraction>) =>
      (JSON.parse(await messageOf(extraction)) as { argv: string[] }).argv;
    expect(await argvOf(readQuickly(pool, 'env'))).toContain(XML_ONLY);
    expect(await argvOf(read(pool, 'env'))).not.toContain(XML_ONLY);
  });

  test('reads as many documents at once as it has children, the others in turn', async () => {
    const pool = open({ children: 2 });
    await eventually(() => expect(pool.pids()).toHaveLength(3));
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => messageOf(read(pool, `${index}`))));
    expect(answers.map((answer) => answer.split(': ')[1])).toEqual([...Array(20).keys()].map(String));
    expect(new Set(answers.map((answer) => answer.split(':')[0])).size).toBe(2);
  });

  test(
    `lets ${WAITING_OF_ORGANIZATION_MAX} documents of an organization wait and ${WAITING_MAX} of all, and refuses the next one as unavailable`,
    async () => {
      const pool = open({ timeMs: TEST_MS_MAX });
      const refusal = { kind: 'unavailable', retryAfterSeconds: 5 };
      const all = [read(pool, 'recognise')];
      const fill = (organizationId: string) =>
        all.push(...Array.from({ length: WAITING_OF_ORGANIZATION_MAX }, () => read(pool, 'waits', organizationId)));
      await eventually(() => expect(pool.waiting).toBe(0));
      fill('first');
      await eventually(() => expect(pool.waiting).toBe(WAITING_OF_ORGANIZATION_MAX));
      await expect(read(pool, 'too many of one')).rejects.toMatchObject(refusal);
      fill('second');
      await eventually(() => expect(pool.waiting).toBe(WAITING_MAX));
      await expect(read(pool, 'too many', 'third')).rejects.toMatchObject(refusal);
      expect(await messageOf(readQuickly(pool, 'quick', 'third'))).toMatch(/quick$/);
      await Promise.all(all);
      expect(await messageOf(read(pool, 'again'))).toMatch(/again$/);
    },
    TEST_MS_MAX,
  );

  test('gives a free child to the organization with the fewest, regardless of the order of arrival', async () => {
    const pool = open({ children: 2 });
    const ends: string[] = [];
    const note = async (text: string, organizationId: string) => {
      await read(pool, text, organizationId);
      ends.push(`${organizationId} ${text}`);
    };
    // The document of the first organization occupies one child until the end, so that only the other child process
    // becomes free.
    note('recognise for ever', 'first').catch(() => {});
    const all = ['recognise', 'waits', 'waits', 'waits'].map((text) => note(text, 'first'));
    await eventually(() => expect(pool.waiting).toBe(3));
    all.push(note('waits', 'second'));
    await Promise.all(all);
    expect(ends.filter((end) => end.endsWith('waits'))[0]).toBe('second waits');
  });

  test('reads small XML at once while all other children are busy for long, and larger XML in turn', async () => {
    const pool = open({ timeMs: TEST_MS_MAX });
    const busy = read(pool, 'recognise for ever');
    await eventually(() => expect(pool.waiting).toBe(0));
    const larger = messageOf(read(pool, 'larger'));
    const scan = messageOf(
      pool.read({
        organizationId: 'first',
        task: { ...task, mediaType: 'image/png' },
        byteSize: 1,
        bytes: () => once('scan'),
      }),
    );
    for (let count = 0; count < 5; count++) expect(await messageOf(readQuickly(pool, 'quick'))).toMatch(/quick$/);
    expect(pool.waiting).toBe(2);
    const ends = Promise.allSettled([busy, larger, scan]);
    pool.close();
    await ends;
  });

  test('reads small XML with every child that is idle', async () => {
    const pool = open({ children: 2 });
    await eventually(() => expect(pool.pids()).toHaveLength(3));
    const pids = await Promise.all(Array.from({ length: 40 }, () => pidOf(readQuickly(pool, 'quick'))));
    expect(new Set(pids)).toEqual(new Set(pool.pids()));
  });

  test('lets whatever serves take the processor before the children that read large documents', async () => {
    const pool = open({ children: 2 });
    await eventually(() => expect(pool.pids()).toHaveLength(3));
    const own = getPriority();
    const lower = Math.min(own + 5, constants.priority.PRIORITY_LOW);
    const priorities = pool.pids().map((pid) => getPriority(pid));
    expect(priorities.toSorted((a, b) => a - b)).toEqual([own, lower, lower]);
  });

  test(
    `replaces a child after ${DOCUMENTS_PER_CHILD_MAX} documents`,
    async () => {
      const pool = open();
      const first = await pidOf(read(pool, 'first'));
      for (let count = 1; count < DOCUMENTS_PER_CHILD_MAX; count++) await read(pool, 'next');
      expect(await messageOf(read(pool, 'after'))).not.toMatch(new RegExp(`^${first}:`));
      await eventually(() => expect(isAlive(first)).toBe(false));
    },
    TEST_MS_MAX,
  );

  test(
    'replaces those that ended between two documents before the next one comes',
    async () => {
      const pool = open();
      await eventually(() => expect(pool.pids()).toHaveLength(2));
      const before = pool.pids();
      for (const pid of before) process.kill(pid, 'SIGKILL');
      await eventually(() => expect(pool.pids().filter((pid) => !before.includes(pid))).toHaveLength(2));
      expect(await messageOf(read(pool, 'after'))).toMatch(/after$/);
    },
    TEST_MS_MAX,
  );

  test('ends its children when it is closed, and refuses waiting callers', async () => {
    const pool = open();
    await read(pool, 'first');
    const pids = pool.pids();
    const [running, waiting] = [read(pool, 'spin'), read(pool, 'waits')];
    await eventually(() => expect(pool.waiting).toBe(1));
    const ends = Promise.allSettled([running, waiting]);
    pool.close();
    expect((await ends).map(({ status }) => status)).toContain('rejected');
    await eventually(() => expect(pids.some(isAlive)).toBe(false));
  });
});

/** Starts a rendering whose result is not stored before `release` is called. Its child is occupied until then. */
async function held(pool: ExtractionPool): Promise<{ readonly drawn: Promise<string>; release(): void }> {
  const gate = { isReached: false, release: () => {} };
  const drawn = render(pool, 'held', async (outcome) => {
    await new Promise<void>((resolve) => {
      gate.release = resolve;
      gate.isReached = true;
    });
    return drawnOf(outcome);
  });
  await eventually(() => expect(gate.isReached).toBe(true));
  return { drawn, release: () => gate.release() };
}

describe('a rendering', () => {
  test('is stored while its child waits, so that no more of them are in memory than there are children', async () => {
    const pool = open();
    const { drawn, release } = await held(pool);
    const next = render(pool, 'next');
    await eventually(() => expect(pool.waiting).toBe(1));
    release();
    expect(await drawn).toMatch(/held$/);
    expect(await next).toMatch(/next$/);
    expect(pool.waiting).toBe(0);
  });

  test('comes before what its organization has to be read, and not before what waits longer for another', async () => {
    const pool = open();
    const { drawn, release } = await held(pool);
    const ends: string[] = [];
    const all = [
      { name: 'read for another', start: () => read(pool, 'a', 'second') },
      { name: 'read', start: () => read(pool, 'b') },
      { name: 'rendering', start: () => render(pool, 'c') },
    ].map(async ({ name, start }) => {
      await start();
      ends.push(name);
    });
    await eventually(() => expect(pool.waiting).toBe(3));
    release();
    await Promise.all([drawn, ...all]);
    expect(ends).toEqual(['read for another', 'rendering', 'read']);
  });

  test('of small XML waits for no page', async () => {
    const pool = open();
    const { drawn, release } = await held(pool);
    expect(await view(pool, 'small', QUICK_BYTES_MAX)).toMatch(/small$/);
    const large = view(pool, 'large', QUICK_BYTES_MAX + 1);
    await eventually(() => expect(pool.waiting).toBe(1));
    release();
    await drawn;
    expect(await large).toMatch(/large$/);
  });

  test('that cannot be stored fails with that, and its child goes on', async () => {
    const pool = open();
    await read(pool, 'first');
    await eventually(() => expect(pool.pids()).toHaveLength(2));
    const pids = pool.pids();
    const failing = render(pool, 'second', () => Promise.reject(new Error('the store is unavailable')));
    await expect(failing).rejects.toThrow('the store is unavailable');
    expect(await render(pool, 'third')).toMatch(/third$/);
    expect(pool.pids()).toEqual(pids);
  });

  test(
    'that takes too long or too much memory, or crashes its child, is tried twice and then stored as a failure',
    async () => {
      expect(await render(open({ timeMs: 1_000 }), 'spin')).toBe('TIMED_OUT');
      expect(await render(open({ memoryBytes: 200 * MIB }), 'hold')).toBe('TOO_LARGE');
      expect(await render(open(), 'crash')).toBe('CRASHED');
    },
    TEST_MS_MAX,
  );
});

test.each([
  [499, 'STARVED'],
  [500, 'TIME'],
  [Infinity, 'TIME'],
])('a child whose second is over after %d ms of a processor ended by %s', (processorMs, death) => {
  expect(deathByTime(processorMs, 1_000)).toBe(death);
});

describe('a document that', () => {
  test(
    'takes too long ends its child and is refused; others go on in the meantime',
    async () => {
      const pool = open({ children: 2, timeMs: 1_000 });
      const spinning = read(pool, 'spin');
      expect(await messageOf(read(pool, 'other'))).toMatch(/other$/);
      expect(await spinning).toMatchObject(timedOut);
      expect(await messageOf(read(pool, 'after'))).toMatch(/after$/);
    },
    TEST_MS_MAX,
  );

  test(
    'hardly had a processor in its time is read once more in a fresh child',
    async () => {
      const pool = open({ timeMs: 1_000 });
      let begun = 0;
      async function* bytes(): AsyncIterable<Uint8Array> {
        begun++;
        yield Buffer.from('sleep');
      }
      expect(await pool.read({ organizationId: 'first', task, byteSize: 5, bytes })).toMatchObject(timedOut);
      expect(begun).toBe(2);
    },
    TEST_MS_MAX,
  );

  test(
    'has to be recognised may take longer, and not for ever',
    async () => {
      const endless = open({ timeMs: 1_000, recognitionMs: 2_000 });
      expect(await read(endless, 'recognise for ever')).toMatchObject({
        outcome: { failure: { reason: 'TIMED_OUT' } },
      });
      expect(await messageOf(read(open({ timeMs: 1_000 }), 'recognise'))).toBe('recognised');
    },
    TEST_MS_MAX,
  );

  test.each([
    ['takes too much memory outside of the heap', 'hold', 'TOO_LARGE'],
    ['takes too much memory in the heap', 'fill the heap', 'TOO_LARGE'],
    ['crashes its child each time', 'crash', 'CRASHED'],
    ['ends its child each time', 'exit', 'CRASHED'],
  ])(
    '%s is refused, and the next one is read',
    async (_, instruction, reason) => {
      const pool = open({ memoryBytes: 200 * MIB });
      expect(await read(pool, instruction)).toMatchObject({ outcome: { failure: { reason } } });
      expect(await messageOf(read(pool, 'after'))).toMatch(/after$/);
    },
    TEST_MS_MAX,
  );

  test(
    'loses its child is read once more by one that has read nothing before',
    async () => {
      const pool = open({ children: 2 });
      await eventually(() => expect(pool.pids()).toHaveLength(3));
      const before = pool.pids();
      const attempts = ['crash', 'again'];
      const bytes = () => once(attempts.shift() ?? '');
      const answer = await messageOf(
        pool.read({ organizationId: 'first', task, byteSize: QUICK_BYTES_MAX + 1, bytes }),
      );
      expect(answer).toMatch(/: again$/);
      expect(before).not.toContain(Number(answer.split(':')[0]));
      await eventually(() => expect(pool.pids()).toHaveLength(3));
    },
    TEST_MS_MAX,
  );

  test(
    'loses its child to a signal from outside is read by a fresh one, also where all children were killed at once',
    async () => {
      const pool = open({ children: 3 });
      await eventually(() => expect(pool.pids()).toHaveLength(4));
      for (const pid of pool.pids()) process.kill(pid, 'SIGKILL');
      const answers = await Promise.all(
        Array.from({ length: 7 }, (_, index) => messageOf(readQuickly(pool, `${index}`))),
      );
      expect(answers.map((answer) => answer.split(': ')[1])).toEqual(['0', '1', '2', '3', '4', '5', '6']);
      await eventually(() => expect(pool.pids().filter(isAlive)).toHaveLength(4));
    },
    TEST_MS_MAX,
  );

  test.each(['SIGKILL', 'SIGTERM'])(
    'loses each of its children to %s from outside is not refused: its reader is told to repeat the request',
    async (signal) => {
      const pool = open();
      const refusal = { kind: 'unavailable', retryAfterSeconds: 5 };
      await expect(read(pool, `signal ${signal}`)).rejects.toMatchObject(refusal);
      await expect(render(pool, `signal ${signal}`)).rejects.toMatchObject(refusal);
      await expect(checkConfirmation(pool, `signal ${signal}`)).rejects.toMatchObject(refusal);
      expect(await messageOf(read(pool, 'after'))).toMatch(/after$/);
    },
    TEST_MS_MAX,
  );

  test(
    'meets a defect is a fault of ours, and the next one is read',
    async () => {
      const pool = open();
      await expect(read(pool, 'defect')).rejects.toThrow(/a bug/);
      expect(await messageOf(read(pool, 'after'))).toMatch(/after$/);
    },
    TEST_MS_MAX,
  );

  test(
    'cannot be read from the store fails with that, and the next one is read',
    async () => {
      const pool = open();
      async function* broken(): AsyncIterable<Uint8Array> {
        yield Buffer.from('half');
        throw new Error('the store is unavailable');
      }
      await expect(pool.read({ organizationId: 'first', task, byteSize: 1, bytes: broken })).rejects.toThrow(
        'the store is unavailable',
      );
      expect(await messageOf(read(pool, 'after'))).toMatch(/after$/);
    },
    TEST_MS_MAX,
  );
});
