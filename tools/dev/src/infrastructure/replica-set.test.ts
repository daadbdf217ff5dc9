import { MongoNetworkError, MongoServerError } from 'mongodb';
import type { Db } from 'mongodb';
import { expect, test } from 'vitest';
import { configOfSet, untilPrimary } from './replica-set.js';

const config = { version: 1, members: [{ _id: 0, host: '127.0.0.1:27017' }] };

/** Starts a server that sends the next of these responses to each command. */
function serverThat(...answers: readonly (object | number | Error)[]) {
  const commands: string[] = [];
  const waiting = [...answers];
  const command = (sent: object) => {
    commands.push(Object.keys(sent)[0] ?? '');
    const answer = waiting.shift();
    if (answer instanceof Error) return Promise.reject(answer);
    if (typeof answer !== 'number') return Promise.resolve(answer);
    return Promise.reject(new MongoServerError({ message: 'refused', code: answer }));
  };
  return { commands, admin: { command } as unknown as Pick<Db, 'command'> };
}

test('a server that is still reading its data is asked again for the set that it has', async () => {
  const { admin, commands } = serverThat(94, 23, 94, 23, { config });
  expect(await configOfSet(admin, '127.0.0.1:27017')).toEqual(config);
  expect(commands.at(-1)).toBe('replSetGetConfig');
});

test('a server without data is given a set once', async () => {
  const { admin, commands } = serverThat(94, { ok: 1 }, { config });
  expect(await configOfSet(admin, '127.0.0.1:27017')).toEqual(config);
  expect(commands).toEqual(['replSetGetConfig', 'replSetInitiate', 'replSetGetConfig']);
});

test('any other refusal is reported', async () => {
  await expect(configOfSet(serverThat(94, 13).admin, '127.0.0.1:27017')).rejects.toMatchObject({ code: 13 });
});

test('a server that closes its connections while it becomes primary is asked again', async () => {
  const closed = new MongoNetworkError('connection 1 closed');
  const { admin, commands } = serverThat({ isWritablePrimary: false }, closed, { isWritablePrimary: true });
  await untilPrimary(admin);
  expect(commands).toEqual(['hello', 'hello', 'hello']);
});
