import { expect, test } from 'vitest';
import { commandOf, keymap, keyOf } from './keymap.js';

const press = (key: string, held: object = {}) => ({ key, ctrlKey: false, metaKey: false, altKey: false, ...held });

test('every key does one thing, and every command has one key', () => {
  expect(new Set(Object.values(keymap)).size).toBe(Object.keys(keymap).length);
  for (const [key, command] of Object.entries(keymap)) {
    expect(commandOf(press(key), false)).toBe(command);
    expect(keyOf[command]).toBe(key === 'Escape' ? 'Esc' : key);
  }
});

test.each(['ctrlKey', 'metaKey', 'altKey'])('a key with %s is left to the browser', (held) => {
  expect(commandOf(press('c', { [held]: true }), false)).toBeUndefined();
});

test('a key in a field or a dialog writes text', () => {
  for (const key of Object.keys(keymap)) expect(commandOf(press(key), true)).toBeUndefined();
});

test.each(['q', 'toString', '__proto__', 'J'])('%s does nothing', (key) => {
  expect(commandOf(press(key), false)).toBeUndefined();
});
