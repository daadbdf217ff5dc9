import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { accessFor, keyNamed, principal } from '../../testing/fakes.js';
import { startGateway } from '../../testing/running-gateway.js';
import type { RunningGateway } from '../../testing/running-gateway.js';

const key = keyNamed('ann');
const VIEW_ID = '0198a000-0000-7000-8000-00000000000c';
const USER_ID = '0198a000-0000-7000-8000-00000000000d';
const createdTime = new Date('2026-03-02T10:00:00.000Z');
const own = {
  viewId: VIEW_ID,
  name: 'Mine',
  query: 'assignee_user_id=me',
  ownerUserId: USER_ID,
  isDefault: true,
  version: 3,
  createdTime,
};
const shared = { ...own, name: 'Ours', ownerUserId: undefined, isDefault: false, version: 1 };
const shownOwn = {
  id: VIEW_ID,
  name: 'Mine',
  query: 'assignee_user_id=me',
  isShared: false,
  ownerUserId: USER_ID,
  isDefault: true,
  version: 3,
  createdAt: '2026-03-02T10:00:00.000Z',
};

let gateway: RunningGateway;
let got: unknown[] = [];
beforeAll(async () => {
  const answer =
    <T>(reply: T) =>
    (request: unknown): Promise<T> => {
      got.push(request);
      return Promise.resolve(reply);
    };
  gateway = await startGateway({
    access: accessFor(new Map([[key, principal({ role: 'VIEWER', scopes: ['findings:read'] })]])),
    views: {
      listViews: answer({ views: [own, shared] }),
      createView: answer({ view: own }),
      getView: answer({ view: own }),
      updateView: answer({ view: own }),
      deleteView: answer({}),
    },
  });
});
afterAll(() => gateway.stop());
beforeEach(() => {
  got = [];
});

async function send(method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${gateway.origin}/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
}

test('the views of a member are listed with the shared ones, which have no owner', async () => {
  expect(await send('GET', '/views')).toEqual({
    status: 200,
    body: {
      items: [shownOwn, { ...shownOwn, name: 'Ours', isShared: true, ownerUserId: null, isDefault: false, version: 1 }],
      nextCursor: null,
    },
  });
});

test('a view is read by its id', async () => {
  expect(await send('GET', `/views/${VIEW_ID}`)).toEqual({ status: 200, body: shownOwn });
  expect(got).toMatchObject([{ viewId: VIEW_ID }]);
});

test('a view is saved, changed and deleted with the fields of the request', async () => {
  expect(await send('POST', '/views', { name: ' Mine ', query: '' })).toEqual({ status: 201, body: shownOwn });
  await send('POST', '/views', { name: 'Ours', query: 'type=OVERPAID', is_shared: true, is_default: true });
  expect(await send('PATCH', `/views/${VIEW_ID}`, { is_default: false })).toEqual({ status: 200, body: shownOwn });
  expect(await send('DELETE', `/views/${VIEW_ID}`)).toEqual({ status: 204, body: undefined });
  expect(got).toMatchObject([
    { name: 'Mine', query: '', isShared: false, isDefault: false },
    { name: 'Ours', query: 'type=OVERPAID', isShared: true, isDefault: true },
    { viewId: VIEW_ID, isDefault: false },
    { viewId: VIEW_ID },
  ]);
});

test.each([
  ['query', { name: 'a', query: 'x'.repeat(2_001) }],
  ['query', { name: 'a', query: 'a b' }],
  ['query', { name: 'a' }],
  ['name', { name: 'x'.repeat(201), query: '' }],
  ['name', { name: ' ', query: '' }],
])('a view with a wrong %s is refused before any call', async (path, body) => {
  expect(await send('POST', '/views', body)).toMatchObject({ status: 400, body: { error: { details: [{ path }] } } });
  expect(got).toEqual([]);
});

test('a change of nothing is refused, and whether a view is shared cannot be changed', async () => {
  for (const body of [{}, { is_shared: true }]) {
    expect(await send('PATCH', `/views/${VIEW_ID}`, body)).toMatchObject({ status: 400 });
  }
  expect(got).toEqual([]);
});
