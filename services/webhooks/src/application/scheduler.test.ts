import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createScheduler, schedulerLimits } from './scheduler.js';
import type { Scheduler, WorkResult } from './scheduler.js';

const AGED_MS = 20;

function setUp(limits: Partial<typeof schedulerLimits> = {}) {
  const idle: string[] = [];
  const scheduler = createScheduler({ ...schedulerLimits, agedMs: AGED_MS, ...limits }, (id) => idle.push(id));
  const started: string[] = [];
  const ends = new Map<string, ((result: WorkResult) => void)[]>();
  const dropped: string[] = [];
  const add = (endpointId: string, { prepare = Promise.resolve() } = {}): boolean =>
    scheduler.add({
      endpointId,
      drop: () => dropped.push(endpointId),
      run: (onRequest) => {
        started.push(endpointId);
        void prepare.then(onRequest);
        return new Promise((resolve) => ends.set(endpointId, [...(ends.get(endpointId) ?? []), resolve]));
      },
    });
  const end = async (endpointId: string, result: WorkResult): Promise<void> => {
    ends.get(endpointId)?.shift()?.(result);
    await delay(0);
  };
  return { scheduler, started, dropped, add, end, idle };
}

type Add = ReturnType<typeof setUp>['add'];

const addMany = (add: Add, endpointId: string, count: number, part: { prepare?: Promise<void> } = {}): void => {
  for (let index = 0; index < count; index++) add(endpointId, part);
};

describe('an endpoint', () => {
  test('has two requests at once, and the next when one ends', async () => {
    const { started, add, end } = setUp();
    addMany(add, 'a', 5);
    expect(started).toEqual(['a', 'a']);
    await end('a', 'SUCCESS');
    expect(started).toHaveLength(3);
  });

  test('has one while it fails, and two again after its next success', async () => {
    const { started, add, end } = setUp();
    addMany(add, 'a', 9);
    await end('a', 'FAILURE');
    await end('a', 'FAILURE');
    expect(started).toHaveLength(3);
    await end('a', 'SUCCESS');
    expect(started).toHaveLength(5);
  });

  test('is not told by work that says nothing about it', async () => {
    const { started, add, end } = setUp();
    addMany(add, 'a', 3);
    await end('a', 'NEUTRAL');
    expect(started).toHaveLength(3);
  });

  test('is not suspected for what takes long before its request leaves', async () => {
    const { scheduler, started, add, end } = setUp();
    addMany(add, 'a', 4, { prepare: new Promise(() => {}) });
    await delay(AGED_MS * 3);
    expect([started.length, scheduler.full()]).toEqual([2, []]);
    await end('a', 'NEUTRAL');
    expect(started).toHaveLength(3);
  });

  test('takes turns with the others', async () => {
    const { started, add, end } = setUp({ fastMax: 1 });
    addMany(add, 'a', 3);
    addMany(add, 'b', 3);
    for (const id of ['a', 'a', 'b', 'a']) await end(id, 'SUCCESS');
    expect(started).toEqual(['a', 'b', 'a', 'b'].slice(0, started.length));
  });

  test('that has as much queued as one may is told as full, and when it is empty', async () => {
    const { scheduler, add, end, idle } = setUp({ queuedPerEndpointMax: 2 });
    expect([add('a'), add('a'), add('a'), add('a'), add('a')]).toEqual([true, true, true, true, false]);
    expect(scheduler.full()).toEqual(['a']);
    for (let ended = 0; ended < 2; ended++) await end('a', 'SUCCESS');
    expect(idle).toEqual(['a']);
  });
});

describe('the requests of a second', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('of one endpoint are 50; the 51st waits for the next second, and nothing of another endpoint with it', async () => {
    const left: string[] = [];
    const scheduler = createScheduler(schedulerLimits, () => {});
    const add = (endpointId: string): boolean =>
      scheduler.add({
        endpointId,
        drop: () => {},
        run: async (onRequest) => {
          onRequest();
          left.push(endpointId);
          return 'SUCCESS';
        },
      });
    for (let index = 0; index < 51; index++) add('a');
    await vi.advanceTimersByTimeAsync(0);
    expect(left).toHaveLength(50);
    expect(scheduler.take('a')).toBeUndefined();
    add('b');
    await vi.advanceTimersByTimeAsync(999);
    expect(left.filter((id) => id === 'a')).toHaveLength(50);
    expect(left).toContain('b');
    await vi.advanceTimersByTimeAsync(1);
    expect(left.filter((id) => id === 'a')).toHaveLength(51);
    expect(scheduler.size).toBe(0);
  });
});

describe('requests that hang', () => {
  test('leave the budget of healthy ones, and hold one place each', async () => {
    const { started, add } = setUp({ fastMax: 4 });
    for (const id of ['h1', 'h2']) addMany(add, id, 3);
    add('healthy');
    expect(started).not.toContain('healthy');
    await delay(AGED_MS * 3);
    expect(started).toContain('healthy');
    expect(started.filter((id) => id !== 'healthy')).toHaveLength(4);
  });

  test('of suspect endpoints start within their share only', async () => {
    const { started, add, end } = setUp({ fastMax: 8, suspectMax: 2, agedMs: 60_000 });
    const ids = ['a', 'b', 'c', 'd'];
    for (const id of ids) add(id);
    for (const id of ids) await end(id, 'FAILURE');
    for (const id of ids) add(id);
    expect(started).toHaveLength(4 + 2);
    add('healthy');
    expect(started.at(-1)).toBe('healthy');
  });

  test('of suspect endpoints start once in eight times while healthy ones wait, and each time while none does', async () => {
    const { started, add, end } = setUp({ fastMax: 1, agedMs: 60_000 });
    const endLast = async (): Promise<void> => {
      const endpointId = started.at(-1) ?? '';
      await end(endpointId, endpointId === 'failing' ? 'FAILURE' : 'SUCCESS');
    };
    add('failing');
    await endLast();
    addMany(add, 'healthy', 20);
    addMany(add, 'failing', 20);
    for (let ended = 0; ended < 16; ended++) await endLast();
    const ofFailing = started.slice(-16).filter((endpointId) => endpointId === 'failing');
    expect(ofFailing).toHaveLength(2);
    for (let ended = 0; ended < 16; ended++) await endLast();
    expect(started.slice(-8)).toEqual(Array.from({ length: 8 }, () => 'failing'));
  });
});

describe('work of endpoints that hang', () => {
  test('leaves the queue but for a few, and is read from the database again', async () => {
    const { scheduler, add, dropped, end } = setUp({ queuedPerSlowMax: 2 });
    addMany(add, 'hanging', 10);
    expect(dropped).toEqual([]);
    await delay(AGED_MS * 3);
    expect(dropped).toHaveLength(10 - 2 - 2);
    expect([add('hanging'), scheduler.full()]).toEqual([false, ['hanging']]);
    await end('hanging', 'SUCCESS');
    expect(add('hanging')).toBe(true);
  });

  test('is evicted when too many others have been idle for a shorter time', async () => {
    const { started, add, end } = setUp({ idleSuspectsMax: 2 });
    for (const id of ['a', 'b', 'c']) {
      add(id);
      await end(id, 'FAILURE');
    }
    for (const id of ['a', 'b', 'c']) addMany(add, id, 2);
    const begun = ['a', 'b', 'c'].map((id) => started.filter((other) => other === id).length - 1);
    expect(begun).toEqual([2, 1, 1]);
  });

  test('never fills the queue for healthy ones', async () => {
    const { scheduler, add, end } = setUp({ queuedMax: 20, queuedSuspectMax: 10, agedMs: 60_000 });
    const ids = ['a', 'b', 'c', 'd'];
    for (const id of ids) addMany(add, id, 6);
    for (const id of ids) {
      await end(id, 'FAILURE');
      await end(id, 'FAILURE');
    }
    for (const id of ids) addMany(add, id, 200);
    expect(scheduler.full().toSorted()).toEqual(ids);
    expect(add('healthy')).toBe(true);
  });
});

describe('a slot', () => {
  test('is there when nothing waits and the endpoint is free', () => {
    const { scheduler, add } = setUp();
    const slots = [scheduler.take('a'), scheduler.take('a'), scheduler.take('a')];
    expect(slots.map((slot) => slot !== undefined)).toEqual([true, true, false]);
    slots[0]?.release();
    add('a');
    expect(scheduler.size).toBe(2);
  });
});

describe('stopping', () => {
  test('begins nothing more and waits for what is under way', async () => {
    const { scheduler, started, add, end } = setUp();
    addMany(add, 'a', 5);
    const stopped = stopOf(scheduler);
    await end('a', 'SUCCESS');
    expect(stopped.isDone).toBe(false);
    await end('a', 'SUCCESS');
    expect(stopped.isDone).toBe(true);
    expect([started.length, add('a')]).toEqual([2, false]);
  });
});

function stopOf(scheduler: Scheduler): { isDone: boolean } {
  const state = { isDone: false };
  void scheduler.stop().then(() => (state.isDone = true));
  return state;
}
