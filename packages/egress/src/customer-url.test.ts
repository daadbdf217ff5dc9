import { describe, expect, test } from 'vitest';
import { readCustomerUrl } from './customer-url.js';

const read = (text: string) => readCustomerUrl(text, { isHttpAllowed: false });
const hrefOf = (text: string): string | undefined => {
  const result = read(text);
  return 'url' in result ? result.url.href : undefined;
};

describe('the URL of a customer', () => {
  test.each([
    ['https://example.com', 'https://example.com/'],
    ['HTTPS://Example.COM:443/Hook?a=1', 'https://example.com/Hook?a=1'],
    ['https://example.com./hook', 'https://example.com/hook'],
    ['https://bücher.example/hook', 'https://xn--bcher-kva.example/hook'],
    ['https://ｅｘａｍｐｌｅ.com/', 'https://example.com/'],
    ['https://exam\u00adple.com/', 'https://example.com/'],
    ['https://example.com:8443/', 'https://example.com:8443/'],
    ['https://example.com:65535/', 'https://example.com:65535/'],
    ['https://8.8.8.8/', 'https://8.8.8.8/'],
  ])('is stored in its normal form: %s', (text, href) => {
    expect(hrefOf(text)).toBe(href);
  });

  test.each([
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'example.com',
    '',
    'https://',
    'https://user@example.com/',
    'https://user:secret@example.com/',
    'https://example.com/#part',
    'https://example.com/#',
    'https://example.com#@127.0.0.1/',
    'https://example.com\\@127.0.0.1/',
    'https://example.com/\tpath',
    'https://exam\nple.com/',
    ' https://example.com/',
    'https://example.com/ ',
    'https://localhost/',
    'https://localhost./',
    'https://intranet/',
    'https://printer.local/',
    'https://db.internal/',
    'https://a.localhost/',
    'https://nas.home.arpa/',
    'https://x.onion/',
    'https://example.com:22/',
    'https://example.com:80/',
    'https://example.com:1023/',
    'https://example.com:6379/',
    'https://example.com:27017/',
    'https://example.com:0/',
    'https://example.com:65536/',
    `https://${'a'.repeat(250)}.com/`,
    `https://example.com/${'a'.repeat(2_029)}`,
  ])('is refused with what to change: %s', (text) => {
    expect(read(text)).toEqual({ problem: expect.stringMatching(/^must /) });
  });

  test('may have 2048 characters, 253 of them in its host', () => {
    const host = `${'a.'.repeat(125)}com`;
    expect(host).toHaveLength(253);
    expect(hrefOf(`https://${host}/`)).toBeDefined();
    expect(hrefOf(`https://a${host}/`)).toBeUndefined();
    expect(hrefOf(`https://example.com/${'a'.repeat(2_028)}`)).toHaveLength(2_048);
  });

  test('may be http where the operator allows it', () => {
    const result = readCustomerUrl('http://127.0.0.1:8080/', { isHttpAllowed: true });
    expect(result).toHaveProperty('url');
  });
});
