import { describe, expect, test } from 'vitest';
import { eventually } from './eventually.js';

describe('eventually', () => {
  test('returns what the probe returns once it stops throwing', async () => {
    let calls = 0;
    const answer = await eventually(() => {
      calls += 1;
      if (calls < 3) throw new Error('not yet');
      return calls;
    });
    expect(answer).toBe(3);
  });

  test('throws the last failure of the probe after the timeout', async () => {
    let calls = 0;
    const never = eventually(
      () => {
        calls += 1;
        return Promise.reject(new Error(`failure ${calls}`));
      },
      { timeoutMs: 50 },
    );
    await expect(never).rejects.toThrow(/^failure \d+$/);
    await expect(never).rejects.toThrow(`failure ${calls}`);
  });

  test('runs the probe once when there is no time to run it again', async () => {
    let calls = 0;
    const probe = () => {
      calls += 1;
      throw new Error('no');
    };
    await expect(eventually(probe, { timeoutMs: 0 })).rejects.toThrow('no');
    expect(calls).toBe(1);
  });
});
