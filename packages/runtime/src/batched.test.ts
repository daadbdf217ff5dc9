import { expect, test } from 'vitest';
import { batched } from './batched.js';

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

/** Creates a batch whose commands end when the test says so. Each command returns its number. */
function setUp(keysMax?: number) {
  const commands: { readonly keys: readonly string[]; end(error?: Error): void }[] = [];
  const ask = batched<string, number>(
    String,
    (keys) =>
      new Promise((resolve, reject) => {
        const number = commands.length + 1;
        commands.push({
          keys,
          end: (error) => (error === undefined ? resolve(new Map(keys.map((key) => [key, number]))) : reject(error)),
        });
      }),
    { keysMax },
  );
  return { ask, commands, asked: () => commands.map(({ keys }) => keys.join(' ')) };
}

test('who asks at the same moment shares a command', async () => {
  const { ask, commands, asked } = setUp();
  const answers = Promise.all(['a', 'b', 'a'].map(ask));
  await nextTurn();
  expect(asked()).toEqual(['a b']);
  commands[0]?.end();
  expect(await answers).toEqual([1, 1, 1]);
});

test('who asks while four commands are under way shares the next one', async () => {
  const { ask, commands, asked } = setUp();
  const answers = [];
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) {
    answers.push(ask(key));
    await nextTurn();
  }
  expect(asked()).toEqual(['a', 'b', 'c', 'd']);
  commands[0]?.end();
  await answers[0];
  await nextTurn();
  expect(asked()).toEqual(['a', 'b', 'c', 'd', 'e f']);
  for (const { end } of commands) end();
  expect(await Promise.all(answers)).toEqual([1, 2, 3, 4, 5, 5]);
});

test.each([
  [3, ['1 2 3']],
  [4, ['1 2 3', '4']],
])('a command that may have three keys is asked for %i by %j', async (count, expected) => {
  const { ask, asked } = setUp(3);
  for (let key = 1; key <= count; key++) void ask(String(key));
  await nextTurn();
  expect(asked()).toEqual(expected);
});

test('a failure reaches those who asked by that command, and the next one is made', async () => {
  const { ask, commands, asked } = setUp(1);
  const answers = Promise.allSettled(['a', 'b', 'c', 'd', 'e'].map(ask));
  await nextTurn();
  commands[0]?.end(new Error('The database is unavailable.'));
  await nextTurn();
  expect(asked()).toEqual(['a', 'b', 'c', 'd', 'e']);
  for (const { end } of commands.slice(1)) end();
  const statuses = (await answers).map(({ status }) => status);
  expect(statuses).toEqual(['rejected', 'fulfilled', 'fulfilled', 'fulfilled', 'fulfilled']);
});
