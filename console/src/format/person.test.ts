import { expect, test } from 'vitest';
import { readPerson, shortId, tellApart } from './person.js';

const me = { userId: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d11', keyId: '4fGh7Jk2Lm9NpQr1' };
const colleague = '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d99';

test.each([
  [`USER:${me.userId}`, { kind: 'you', id: me.userId }],
  [`API_KEY:${me.keyId}`, { kind: 'you', id: me.keyId }],
  [`USER:${colleague}`, { kind: 'member', id: colleague }],
  ['API_KEY:Abcdefgh01234567', { kind: 'key', id: 'Abcdefgh01234567' }],
  ['OPERATOR:ops', { kind: 'operator', id: 'ops' }],
  ['somebody', { kind: 'other', id: 'somebody' }],
])('%s is told as who it is', (text, person) => {
  expect(readPerson(text, me)).toEqual(person);
});

test('a long id is shown by its end, and a short one whole', () => {
  expect([colleague, 'Abcdefgh01234567'].map(shortId)).toEqual(['…6b2c4d99', 'Abcdefgh01234567']);
});

test('people of one name are told apart by the end of their ids', () => {
  const people = [me.userId, colleague, 'c'].map((userId, index) => ({ userId, name: index < 2 ? 'Ann' : 'Bob' }));
  expect(tellApart(people).map(({ name }) => name)).toEqual(['Ann (…6b2c4d11)', 'Ann (…6b2c4d99)', 'Bob']);
});
