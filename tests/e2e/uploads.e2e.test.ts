import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useSharedSystem } from './running-system.js';
import type { ErrorBody, RunningSystem } from './running-system.js';

interface Reserved {
  readonly upload_id: string;
  readonly upload_url: string;
  readonly upload_method: string;
  readonly expires_at: string;
}

interface Status {
  readonly status: string;
  readonly sha256: string | null;
}

let running: RunningSystem;
beforeAll(async () => {
  running = await useSharedSystem();
});
afterAll(() => running.stop());

/** Returns a file that begins as a PDF does. These tests read no further. */
const fileOf = (bytes: number) => Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(bytes - 9)]);

async function reserve(byteSize: number, mediaType = 'application/pdf'): Promise<Reserved> {
  const { status, body, headers } = await running.request<Reserved>('POST /uploads', {
    key: running.tenant.keys.owner,
    body: { mediaType, byteSize },
  });
  expect(status).toBe(201);
  expect(headers.get('location')).toBe(`/v1/uploads/${body.upload_id}/status`);
  return body;
}

/** Returns the path of a URL below `/v1`. */
const pathOf = (url: string) =>
  new URL(url, running.origin).pathname.slice('/v1'.length) + new URL(url, running.origin).search;

function put(path: string, bytes: Uint8Array, options: { key?: string; headers?: Record<string, string> } = {}) {
  const headers = { 'content-type': 'application/pdf', ...options.headers };
  return running.request<ErrorBody>(`PUT ${path}`, { ...options, bytes, headers });
}

async function statusOf(uploadId: string): Promise<Status> {
  const { body } = await running.request<Status>(`GET /uploads/${uploadId}/status`, {
    key: running.tenant.keys.viewer,
  });
  return body;
}

describe('an upload', () => {
  test('is reserved, received with its token alone, and shown with the hash of its bytes', async () => {
    const file = fileOf(1_000_003);
    const { upload_id, upload_url, upload_method, expires_at } = await reserve(file.length);
    expect([upload_method, Date.parse(expires_at) > Date.now()]).toEqual(['PUT', true]);
    expect(await statusOf(upload_id)).toMatchObject({
      status: 'RESERVED',
      sha256: null,
      invoice_id: null,
      failure: null,
    });
    expect(await put(pathOf(upload_url), file)).toMatchObject({ status: 204, text: '' });
    expect(await statusOf(upload_id)).toMatchObject({
      upload_id,
      status: 'UPLOADED',
      media_type: 'application/pdf',
      byte_size: file.length,
      sha256: createHash('sha256').update(file).digest('hex'),
      expires_at,
    });
    const again = await put(pathOf(upload_url), Buffer.from('anything'), { headers: { 'content-type': 'text/plain' } });
    expect(again).toMatchObject({ status: 409, body: { error: { code: 'CONFLICT' } } });
  });

  test('is received with a key in place of the token', async () => {
    const file = fileOf(100);
    const { upload_id } = await reserve(file.length);
    const path = `/uploads/${upload_id}/content`;
    expect((await put(path, file)).status).toBe(401);
    expect((await put(path, file, { key: running.other.keys.owner })).status).toBe(404);
    expect((await put(path, file, { key: running.tenant.keys.viewer })).status).toBe(403);
    expect((await put(path, file, { key: running.tenant.keys.owner })).status).toBe(204);
  });

  test.each([
    ['a wrong token', 401, 'UNAUTHORIZED', (file: Buffer) => file, { query: '?token=wrong' }],
    ['another type', 415, 'INVALID_REQUEST', (file: Buffer) => file, { type: 'image/png' }],
    ['an encoding', 415, 'INVALID_REQUEST', (file: Buffer) => file, { encoding: 'gzip' }],
    ['a byte too many', 413, 'INVALID_REQUEST', (file: Buffer) => Buffer.concat([file, Buffer.from('x')]), {}],
    ['a byte too few', 400, 'INVALID_REQUEST', (file: Buffer) => file.subarray(1), {}],
    ['bytes of another type', 400, 'INVALID_REQUEST', (file: Buffer) => Buffer.alloc(file.length, '<'), {}],
  ])(
    'with %s is refused with %i, and can be sent again',
    async (
      _,
      status,
      code,
      change,
      {
        query,
        type,
        encoding,
      }: {
        query?: string;
        type?: string;
        encoding?: string;
      },
    ) => {
      const file = fileOf(5_000);
      const { upload_id, upload_url } = await reserve(file.length);
      const path = query === undefined ? pathOf(upload_url) : `/uploads/${upload_id}/content${query}`;
      const headers = {
        ...(type === undefined ? {} : { 'content-type': type }),
        ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
      };
      expect(await put(path, change(file), { headers })).toMatchObject({ status, body: { error: { code } } });
      expect(await statusOf(upload_id)).toMatchObject({ status: 'RESERVED' });
      const parameter = { 'content-type': 'Application/PDF; charset=binary' };
      expect((await put(pathOf(upload_url), file, { headers: parameter })).status).toBe(204);
    },
  );
});
