import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Page } from '../providers/provider.js';
import { storePages } from './store-pages.js';

type TestPage = Page<{ readonly externalId: string }> & { readonly position: string };

const page = (position: string, ids: readonly string[], deletedIds: readonly string[] = []): TestPage => ({
  records: ids.map((externalId) => ({ externalId })),
  invalid: [],
  deletedIds,
  position,
});

/** Stores pages that complete when the test says so, and records the order of events. */
function storing(pages: AsyncIterable<TestPage>, isAdmitted = (_: TestPage) => true) {
  const happened: string[] = [];
  const doors = new Map<string, { open(): void; fail(): void }>();
  const ended = storePages(pages, {
    async admit(one) {
      await nextTurn();
      if (!isAdmitted(one)) throw new Error('the claim has ended');
    },
    store: ({ position }) => {
      happened.push(`store ${position}`);
      return new Promise((resolve, reject) => {
        doors.set(position, {
          open: resolve,
          fail: () => reject(new Error(`${position} could not be stored`)),
        });
      });
    },
    commit: ({ position }) => {
      happened.push(`commit ${position}`);
      return Promise.resolve();
    },
  }).then(
    () => 'stored',
    (error: unknown) => (error as Error).message,
  );
  return {
    happened,
    ended,
    open: (name: string) => doors.get(name)?.open(),
    fail: (name: string) => doors.get(name)?.fail(),
  };
}

async function* sent(...pages: readonly (TestPage | Error)[]): AsyncGenerator<TestPage> {
  for (const one of pages) {
    await nextTurn();
    if (one instanceof Error) throw one;
    yield one;
  }
}

/** Resolves when nothing more can happen until another page of ERP records is stored. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await nextTurn();
}

describe('pages of a stream', () => {
  test('are stored two at a time and committed in their order, whichever is stored first', async () => {
    const { happened, ended, open } = storing(sent(page('one', ['a']), page('two', ['b']), page('three', ['c'])));
    await settled();
    expect(happened).toEqual(['store one', 'store two']);
    open('two');
    await settled();
    expect(happened).toEqual(['store one', 'store two']);
    open('one');
    await settled();
    expect(happened).toEqual(['store one', 'store two', 'commit one', 'store three', 'commit two']);
    open('three');
    expect(await ended).toBe('stored');
    expect(happened.at(-1)).toBe('commit three');
  });

  test.each([
    ['have the same record', page('one', ['a', 'b']), page('two', ['b', 'c'])],
    ['come before one that reports deletions', page('one', ['a']), page('two', ['b'], ['a'])],
    ['report deletions themselves', page('one', ['a'], ['b']), page('two', ['b'])],
  ])('follow one another where they %s', async (_, one, two) => {
    const { happened, ended, open } = storing(sent(one, two));
    await settled();
    expect(happened).toEqual(['store one']);
    open('one');
    await settled();
    expect(happened).toEqual(['store one', 'commit one', 'store two']);
    open('two');
    expect(await ended).toBe('stored');
    expect(happened.at(-1)).toBe('commit two');
  });

  test('that came before a fault of the ERP are stored and committed before it is told', async () => {
    const { happened, ended, open } = storing(sent(page('one', ['a']), page('two', ['b']), new Error('no answer')));
    await settled();
    open('one');
    await settled();
    open('two');
    expect(await ended).toBe('no answer');
    expect(happened).toEqual(['store one', 'store two', 'commit one', 'commit two']);
  });

  test('are not committed behind one that could not be stored, and none is on its way when its fault is told', async () => {
    const { happened, ended, open, fail } = storing(sent(page('one', ['a']), page('two', ['b']), page('three', ['c'])));
    await settled();
    fail('one');
    let isEnded = false;
    void ended.then(() => (isEnded = true));
    await settled();
    expect(isEnded).toBe(false);
    open('two');
    expect(await ended).toBe('one could not be stored');
    expect(happened).toEqual(['store one', 'store two']);
  });

  test('are not stored from the one on that is not admitted', async () => {
    const pages = sent(page('one', ['a']), page('two', ['b']), page('three', ['c']));
    const { happened, ended, open } = storing(pages, ({ position }) => position !== 'two');
    await settled();
    open('one');
    expect(await ended).toBe('the claim has ended');
    expect(happened).toEqual(['store one', 'commit one']);
  });
});
