import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '@invoicecontrol/testkit/eventually';
import { sampleDuring } from './memory.js';
import { childrenOf, residentBytesOf } from './node-process.js';

describe('the resident memory of a process', () => {
  const parent = spawn('sh', ['-c', 'true & exec sleep 60'], { stdio: 'ignore' });
  afterEach(async () => {
    const ended = once(parent, 'exit');
    parent.kill('SIGKILL');
    await ended;
  });

  test('is 0 for a process that has ended and that nobody has waited for', async () => {
    const pid = parent.pid ?? 0;
    const [child = 0] = await eventually(async () => {
      const children = await childrenOf(pid);
      const [first = 0] = children;
      expect(await readFile(`/proc/${first}/stat`, 'latin1')).toMatch(/\) Z /);
      return children;
    });
    expect(await residentBytesOf(child)).toBe(0);
    expect(await residentBytesOf(pid)).toBeGreaterThan(0);
  });
});

describe('sampling during work', () => {
  test('gives what the work gave, after the last sample', async () => {
    let samples = 0;
    const sample = async (): Promise<void> => void (samples += 1);
    const result = await sampleDuring(1, sample, async () => {
      await eventually(async () => expect(samples).toBeGreaterThan(2));
      return 'done';
    });
    expect(result).toBe('done');
  });

  test('fails when a sample fails', async () => {
    let sampled = 0;
    const sample = async (): Promise<void> => {
      sampled += 1;
      throw new Error('no such process');
    };
    const work = (): Promise<void> => eventually(async () => expect(sampled).toBeGreaterThan(0));
    await expect(sampleDuring(1, sample, work)).rejects.toThrow('no such process');
  });
});
