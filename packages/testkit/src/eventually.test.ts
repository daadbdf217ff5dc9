import { describe, expect, test } from '@jest/globals';
import { eventually } from './eventually.js';

describe('eventually', () => {
  test('answers what the probe answers once it stops throwing', async () => {
    let calls = 0;
    const answer = await eventually(() => {
      calls += 1;
      if (calls < 3) throw new Error('not yet');
      return calls;
    });
    expect(answer).toBe(3);
  });

  test('throws the last failure of the probe when the time is over', async () => {
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

  test('asks once when there is no time to ask again', async () => {
    let calls = 0;
    const probe = () => {
      calls += 1;
      throw new Error('no');
    };
    await expect(eventually(probe, { timeoutMs: 0 })).rejects.toThrow('no');
    expect(calls).toBe(1);
  });
});
