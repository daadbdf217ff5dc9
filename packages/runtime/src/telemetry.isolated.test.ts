import { beforeAll, describe, expect, test } from 'vitest';
import { createLogger } from './logger.js';
import { measure, startTelemetry, traced } from './telemetry.js';
import { activeTraceparent, outsideRequests } from './trace-context.js';

const valid = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('while telemetry is off', () => {
  const lines: string[] = [];
  const logger = createLogger({ service: 'test', level: 'info', destination: { write: (line) => lines.push(line) } });
  const lastLine = () => JSON.parse(lines.at(-1) ?? '') as Record<string, unknown>;

  beforeAll(() => startTelemetry('test', undefined));

  test('the trace of the caller is passed on', () => {
    expect(measure('client', 'x', { parent: { traceparent: valid } }).headers).toEqual({ traceparent: valid });
  });

  test("a stranger's trace is passed on if it is recorded, and no header says that it is not", () => {
    expect(measure('server', 'edge', { stranger: { traceparent: valid } }).headers).toEqual({ traceparent: valid });
    const unsampled = { traceparent: valid.replace(/01$/, '00') };
    const edge = measure('server', 'edge', { stranger: unsampled });
    expect(edge.headers).toEqual({});
    expect(edge.during(activeTraceparent)).toBeUndefined();
  });

  test('work without a caller sends no header, which would keep the instrumentation of others from recording', () => {
    expect(measure('server', 'x', {}).headers).toEqual({});
  });

  test('log lines of work carry its trace and its request, also after a pause; others carry neither', async () => {
    await traced('server', 'x', { parent: { traceparent: valid }, requestId: 'req-1' }, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      logger.info({}, 'inside');
    });
    const ids = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', requestId: 'req-1' };
    expect(lastLine()).toMatchObject({ msg: 'inside', ...ids });
    logger.info({}, 'outside');
    for (const name of Object.keys(ids)) expect(lastLine()).not.toHaveProperty(name);
  });

  test('what outlives a request belongs to none', async () => {
    await traced('server', 'x', { parent: { traceparent: valid }, requestId: 'req-1' }, async () => {
      expect(activeTraceparent()).toBe(valid);
      expect(outsideRequests(activeTraceparent)).toBeUndefined();
    });
  });
});
