import { describe, expect, test } from 'vitest';
import { locationOf } from './element.js';
import { compilePath } from './path.js';
import { readTree } from './testing/read-tree.js';

const root = readTree('<a><b x="1"><c>one</c></b><b><c>Two</c><d/></b><e><c> one </c></e></a>');

describe('a path finds', () => {
  test.each([
    ['b/c', ['/a/b[1]/c', '/a/b[2]/c']],
    ['b | e', ['/a/b[1]', '/a/b[2]', '/a/e']],
    ['//c', ['/a/b[1]/c', '/a/b[2]/c', '/a/e/c']],
    ['//b/c', ['/a/b[1]/c', '/a/b[2]/c']],
    ["//c[../c='one']", ['/a/b[1]/c', '/a/e/c']],
    ["b[c='one']", ['/a/b[1]']],
    ["b[c='one','Two']", ['/a/b[1]', '/a/b[2]']],
    ["b[c~'TWO']", ['/a/b[2]']],
    ['b[d]', ['/a/b[2]']],
    ['b[not(d)]', ['/a/b[1]']],
    ["b[@x='1']", ['/a/b[1]']],
    ["b[not(@x='1')]/c", ['/a/b[2]/c']],
    ['b/*', ['/a/b[1]/c', '/a/b[2]/c', '/a/b[2]/d']],
    ['', ['/a']],
    ['-', []],
  ])('%j: %j', (path, locations) => {
    expect(compilePath(path)(root).map(locationOf)).toEqual(locations);
  });
});
