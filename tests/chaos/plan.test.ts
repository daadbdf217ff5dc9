import { describe, expect, test } from 'vitest';
import { describeFault, faultKinds, links, planOf, usualKinds } from './plan.js';

const options = { seed: 7, rounds: 200, kinds: faultKinds, replicas: 2 } as const;

describe('a plan', () => {
  test('is the same for the same seed and another for another', () => {
    expect(planOf(options)).toEqual(planOf(options));
    expect(planOf({ ...options, seed: 8 })).not.toEqual(planOf(options));
  });

  test('begins as a shorter one of the same seed', () => {
    expect(planOf({ ...options, rounds: 3 })).toEqual(planOf(options).slice(0, 3));
  });

  test('has every kind of fault, every process, every link alone, and rounds with two faults', () => {
    const rounds = planOf({ ...options, rounds: 2_000 });
    const faults = rounds.flatMap((round) => round.faults);
    const targets = new Set(faults.map(({ target }) => target));
    expect(new Set(faults.map(({ kind }) => kind))).toEqual(new Set(faultKinds));
    expect([...targets]).toEqual(expect.arrayContaining([...links, 'analysis-2', 'gateway-1', 'database', 'broker']));
    expect(rounds.some((round) => round.faults.length === 2)).toBe(true);
  });

  test('has only the chosen kinds', () => {
    const kinds = ['kill', 'slow'] as const;
    const chosen = planOf({ ...options, kinds }).flatMap(({ faults }) => faults.map(({ kind }) => kind));
    expect(new Set(chosen)).toEqual(new Set(kinds));
  });

  test('kills and pauses only the chosen processes', () => {
    const processes = ['webhooks-1', 'database'];
    const rounds = planOf({ ...options, kinds: ['kill', 'pause'], processes });
    const chosen = rounds.flatMap(({ faults }) => faults.map(({ process }) => process));
    expect(new Set(chosen)).toEqual(new Set(processes));
  });

  test('has outages of the broker where they are asked for, as long as they were asked for', () => {
    expect(usualKinds).toEqual(faultKinds.filter((kind) => kind !== 'broker-outage'));
    const [round] = planOf({ ...options, rounds: 1, kinds: ['broker-outage'], outageMs: 600_000 });
    expect(round?.faults).toMatchObject([{ process: 'broker', lengthMs: 600_000 }]);
  });

  test('breaks at least one link with every fault of connections', () => {
    for (const { process, links: broken } of planOf(options).flatMap(({ faults }) => faults)) {
      expect(broken.length > 0).toBe(process === undefined);
    }
  });

  test('never breaks the same thing twice in a round', () => {
    for (const { faults } of planOf({ ...options, rounds: 1_000 })) {
      const broken = faults.flatMap(({ process, links: ofFault }): readonly string[] =>
        process === undefined ? ofFault : [process],
      );
      expect(new Set(broken).size).toBe(broken.length);
    }
  });

  test('is described in words', () => {
    const fault = { target: 'scan>analysis', links: ['scan>analysis'], afterMs: 300, lengthMs: 2_100 } as const;
    expect(describeFault({ ...fault, kind: 'slow', latencyMs: 80, bytesPerSecond: 20_000 })).toBe(
      'slow scan>analysis (80 ms, 20 kB/s) after 0.3 s for 2.1 s',
    );
    expect(describeFault({ ...fault, kind: 'one-way', direction: 'toClient' })).toBe(
      'one-way scan>analysis (answers) after 0.3 s for 2.1 s',
    );
  });
});
