import { describe, expect, test } from 'vitest';
import { carriesContact } from './contact.js';

describe('a contact is carried by a text', () => {
  test.each([
    ['the same phone number', '+49 40 1234567', 'Tel. +49 40 1234567'],
    ['a number with the zero of its country', '+49 40 1234567', 'Phone: 040/123 45 67'],
    ['a number with both', '0049 (40) 1234567', 'Telefon +49 (0)40 1234-567'],
    ['a number next to other numbers', '+48 22 123 45 67', 'NIP 5265877635 tel. 22 123 45 67 12 100'],
    ['a number in full-width digits', '+49 40 1234567', 'Ｔｅｌ ０４０ １２３４５６７'],
    ['a number with a name', 'Ms Berg, +49 40 1234567', '+49401234567'],
    ['an e-mail address in another case', 'AP@Nordlicht.example', 'Questions: ap@nordlicht.example.'],
    ['an address with an invisible character', 'ap@nordlicht.example', 'ap@nord\u200blicht.example'],
    ['the host of a portal', 'https://www.nordlicht.example/portal', 'see nordlicht.example'],
    ['the host of an e-mail address', 'nordlicht.example', 'ap@nordlicht.example'],
    ['a host below it', 'nordlicht.example', 'https://pay.nordlicht.example/now'],
    ['a postal address', 'Hafenstraße 1, 20457 Hamburg', 'Hafenstraße 1 20457 HAMBURG'],
  ])('%s', (_, contact, text) => {
    expect(carriesContact([text], contact)).toBe(true);
  });

  test('in several lines', () => {
    expect(carriesContact(['Nordlicht', 'Hafenstraße 1', '20457 Hamburg'], 'Hafenstraße 1, 20457 Hamburg')).toBe(true);
  });
});

describe('a contact is not carried by a text', () => {
  test.each([
    ['another number', '+49 40 1234567', 'Tel. +49 40 7654321'],
    ['a longer number', '+49 40 1234567', 'RE 401234567890'],
    ['numbers that only follow each other', '+49 40 1234567', '40 12, 34567'],
    ['another address at the host', 'ap@nordlicht.example', 'billing@nordlicht.example'],
    ['an address with a prefix', 'ap@nordlicht.example', 'wrap@nordlicht.example'],
    ['another host', 'nordlicht.example', 'evil-nordlicht.example and nordlicht.example.evil.example'],
    ['a short text', 'desk', 'Desk lamp'],
    ['nothing', '+49 40 1234567', ''],
  ])('%s', (_, contact, text) => {
    expect(carriesContact([text], contact)).toBe(false);
  });
});
