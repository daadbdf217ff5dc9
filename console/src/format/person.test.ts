import { expect, test } from 'vitest';
import { readPerson } from './person.js';

const me = { userId: '01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d11', keyId: '4fGh7Jk2Lm9NpQr1' };

test.each([
  [`USER:${me.userId}`, { kind: 'you', id: '…6b2c4d11' }],
  [`API_KEY:${me.keyId}`, { kind: 'you', id: me.keyId }],
  ['USER:01a0f3c2-7b1e-7c40-9d5f-3e8a6b2c4d99', { kind: 'member', id: '…6b2c4d99' }],
  ['API_KEY:Abcdefgh01234567', { kind: 'key', id: 'Abcdefgh01234567' }],
  ['OPERATOR:ops', { kind: 'operator', id: 'ops' }],
  ['somebody', { kind: 'other', id: 'somebody' }],
])('%s is told as who it is', (text, person) => {
  expect(readPerson(text, me)).toEqual(person);
});
